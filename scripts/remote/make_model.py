"""Makes a small Qwen2.5-VL or Qwen3-VL with random weights and a tokenizer trained on a text.

usage: make_model.py FOLDER --kind qwen2.5|qwen3 --corpus FILE [--vocabulary 1500] [--width 128] [--layers 2] ...
"""

import argparse
import json
import os

import torch
from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast

SPECIAL = [f"<|{name}|>" for name in ("endoftext", "im_start", "im_end", "vision_start", "vision_end", "vision_pad")]
SPECIAL += ["<|image_pad|>", "<|video_pad|>"]
TEMPLATE = (
    "{%- for m in messages %}{{'<|im_start|>' + m.role + '\n'}}{%- if m.content is string %}{{ m.content }}{%- else %}"
    "{%- for c in m.content %}{%- if c.type == 'image' or 'image' in c or 'image_url' in c %}"
    "{{'<|vision_start|><|image_pad|><|vision_end|>'}}{%- elif 'text' in c %}{{ c.text }}{%- endif %}{%- endfor %}"
    "{%- endif %}{{'<|im_end|>\n'}}{%- endfor %}{%- if add_generation_prompt %}{{'<|im_start|>assistant\n'}}{%- endif %}"
)


def make_tokenizer(folder, corpus, size):
    """Trains byte-level BPE in which each digit is a token, and tags in a row may be one."""
    tokenizer = Tokenizer(models.BPE())
    parts = pre_tokenizers.Split(Regex(r"(?:<[^<>\s\d]+>)+| ?[\p{L}]+|\d|\s+|[^\s\p{L}\d<]+|<"), "isolated")
    bytes_alone = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([parts, bytes_alone])
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    lines = open(corpus, encoding="utf8").read().splitlines(keepends=True)
    tokenizer.train_from_iterator(lines, trainers.BpeTrainer(vocab_size=size - len(SPECIAL), initial_alphabet=alphabet))
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        eos_token="<|im_end|>",
        pad_token="<|endoftext|>",
        additional_special_tokens=SPECIAL,
        chat_template=TEMPLATE,
        model_max_length=8192,
    )
    fast.save_pretrained(folder)
    return fast


def text_config(options, ids):
    heads = options.width // 64
    return dict(
        vocab_size=options.vocabulary,
        hidden_size=options.width,
        intermediate_size=2 * options.width,
        num_hidden_layers=options.layers,
        num_attention_heads=heads,
        num_key_value_heads=heads,
        head_dim=64,
        max_position_embeddings=8192,
        tie_word_embeddings=False,
        initializer_range=options.width**-0.5,
        eos_token_id=ids["im_end"],
        pad_token_id=ids["endoftext"],
        bos_token_id=None,
    )


def vision_config(options):
    return dict(
        depth=options.vision_layers,
        hidden_size=options.vision_width,
        intermediate_size=2 * options.vision_width,
        num_heads=options.vision_width // 32,
        initializer_range=options.vision_width**-0.5,
        in_channels=3,
        out_hidden_size=options.width,
        patch_size=options.patch,
        spatial_merge_size=options.merge,
        temporal_patch_size=2,
    )


def make_network(options, ids):
    """Returns the model class's network with random weights."""
    text, vision = text_config(options, ids), vision_config(options)
    rope = dict(rope_type="default", rope_theta=1000000.0, mrope_section=[8, 12, 12])
    if options.kind == "qwen2.5":
        from transformers import Qwen2_5_VLConfig as Config
        from transformers import Qwen2_5_VLForConditionalGeneration as Model

        text |= dict(rope_parameters=rope, use_sliding_window=False)
        last = options.vision_layers - 1
        vision |= dict(window_size=8 * options.patch, fullatt_block_indexes=[last], tokens_per_second=2)
    else:
        from transformers import Qwen3VLConfig as Config
        from transformers import Qwen3VLForConditionalGeneration as Model

        text |= dict(rope_parameters=rope | dict(mrope_interleaved=True))
        vision |= dict(num_position_embeddings=2304, deepstack_visual_indexes=[0])
    config = Config(
        text_config=text,
        vision_config=vision,
        image_token_id=ids["image_pad"],
        video_token_id=ids["video_pad"],
        vision_start_token_id=ids["vision_start"],
        vision_end_token_id=ids["vision_end"],
        tie_word_embeddings=False,
    )
    torch.manual_seed(options.seed)
    network = Model(config).to(torch.float32)
    balance(network)
    return network


def balance(network):
    """Scales what enters the layers alike: otherwise places drown in pixels, and words in pictures."""
    patches = network.model.visual.patch_embed.proj.weight
    torch.nn.init.normal_(patches, std=patches[0].numel() ** -0.5)
    torch.nn.init.normal_(network.get_input_embeddings().weight, std=0.5)
    places = getattr(network.model.visual, "pos_embed", None)
    if places is not None:
        torch.nn.init.normal_(places.weight, std=0.5)


def write_processors(options):
    name = "Qwen2_5_VLProcessor" if options.kind == "qwen2.5" else "Qwen3VLProcessor"
    video = "Qwen2VLVideoProcessor" if options.kind == "qwen2.5" else "Qwen3VLVideoProcessor"
    token = (options.patch * options.merge) ** 2
    area = {"shortest_edge": 4 * token, "longest_edge": options.picture_tokens * token}
    flags = ("do_resize", "do_rescale", "do_normalize", "do_convert_rgb")
    common = {flag: True for flag in flags} | {
        "patch_size": options.patch,
        "merge_size": options.merge,
        "temporal_patch_size": 2,
        # Of gyre's pages: a small model would take long to learn that most pixels are bright.
        "image_mean": [0.74] * 3,
        "image_std": [0.3] * 3,
        "rescale_factor": 1 / 255,
        "resample": 3,
        "size": area,
    }
    picture = {
        "image_processor_type": "Qwen2VLImageProcessor",
        "processor_class": name,
        "min_pixels": area["shortest_edge"],
        "max_pixels": area["longest_edge"],
    }
    film = {"video_processor_type": video, "min_frames": 4, "max_frames": 8, "fps": 2}
    for file, extra in (("preprocessor_config.json", picture), ("video_preprocessor_config.json", film)):
        with open(os.path.join(options.folder, file), "w", encoding="utf8") as out:
            json.dump(common | extra, out, indent=1)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder")
    parser.add_argument("--kind", choices=("qwen2.5", "qwen3"), default="qwen2.5")
    parser.add_argument("--corpus", required=True)
    numbers = dict(vocabulary=1500, width=128, layers=2, patch=14, merge=2, picture_tokens=64, seed=0)
    numbers |= dict(vision_width=64, vision_layers=2)
    for name, value in numbers.items():
        parser.add_argument(f"--{name.replace('_', '-')}", type=int, default=value)
    options = parser.parse_args()
    os.makedirs(options.folder, exist_ok=True)
    tokenizer = make_tokenizer(options.folder, options.corpus, options.vocabulary)
    ids = {name.strip("<|>"): tokenizer.convert_tokens_to_ids(name) for name in SPECIAL}
    network = make_network(options, ids)
    network.save_pretrained(options.folder)
    write_processors(options)
    print(f"{options.folder}: {sum(p.numel() for p in network.parameters())} parameters, {len(tokenizer)} tokens")


main()
