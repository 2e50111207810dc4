"""Fine-tunes all weights of a small vision-language model on answers to prompts with pictures.

LoRA on random weights cannot learn to act, so a base is trained first, on the demonstrations of which `demonstrations.mjs` makes
lines `{"family", "pieces": [{"tokens": [...]} or {"picture": FILE, "length": N}, ...], "answer": [...]}`.

usage: train_base.py MODEL LINES OUTPUT [--families A,B] [--steps 4000] [--batch 16] [--rate 1e-3] [--minutes M]
Families take turns. Resumes from OUTPUT/state.pt. Writes OUTPUT as a Hugging Face folder.
"""

import argparse
import json
import math
import os
import random
import shutil
import time

import torch
from PIL import Image
from transformers import AutoConfig, AutoModelForImageTextToText, AutoProcessor


class Examples:
    """Reads lines, and the pictures of a batch."""

    def __init__(self, path, processor, image_token):
        self.folder = os.path.dirname(path)
        self.lines = [json.loads(line) for line in open(path, encoding="utf8")]
        self.processor = processor.image_processor
        self.image_token = image_token

    def pictures(self, names):
        return self.processor(images=[self.picture(name) for name in names], return_tensors="pt")

    def picture(self, name):
        with Image.open(os.path.join(self.folder, name)) as image:
            return image.convert("RGB")

    def ids(self, line):
        """Returns the ids of prompt and answer, and how many are the prompt's."""
        prompt = []
        for piece in line["pieces"]:
            prompt += piece["tokens"] if "tokens" in piece else [self.image_token] * piece["length"]
        return prompt + line["answer"], len(prompt)

    def batch(self, lines):
        rows = [self.ids(line) for line in lines]
        longest = max(len(ids) for ids, _ in rows)
        ids = torch.zeros(len(rows), longest, dtype=torch.long)
        mask, labels = torch.zeros_like(ids), torch.full_like(ids, -100)
        for row, (tokens, prompt) in enumerate(rows):
            ids[row, : len(tokens)] = torch.tensor(tokens)
            mask[row, : len(tokens)] = 1
            labels[row, prompt : len(tokens)] = ids[row, prompt : len(tokens)]
        names = [piece["picture"] for line in lines for piece in line["pieces"] if "picture" in piece]
        pictures = self.pictures(names)
        return {
            "input_ids": ids,
            "attention_mask": mask,
            "labels": labels,
            "mm_token_type_ids": (ids == self.image_token).long(),
            "pixel_values": pictures["pixel_values"],
            "image_grid_thw": pictures["image_grid_thw"],
        }


def answer_logits(model, data):
    """Returns logits and labels of the answers' tokens alone: those of prompts would cost as much as a layer."""
    labels = data.pop("labels")[:, 1:]
    hidden = model.model(**data).last_hidden_state[:, :-1]
    return model.lm_head(hidden[labels != -100]), labels


def exact(model, examples, lines, batch):
    """Returns the shares of held-out answers, and of their tokens, that the model would give word for word."""
    model.eval()
    right, tokens, count = 0, 0, 0
    with torch.no_grad():
        for start in range(0, len(lines), batch):
            logits, labels = answer_logits(model, examples.batch(lines[start : start + batch]))
            same = labels == -100
            same[labels != -100] = logits.argmax(-1) == labels[labels != -100]
            right += same.all(-1).sum().item()
            tokens += (same & (labels != -100)).sum().item()
            count += len(logits)
    model.train()
    return right / len(lines), tokens / count


def make_optimisers(model):
    """Returns Muon for the matrices of the layers and AdamW for all other weights, with `scale` of the rate in their groups."""
    matrices, others = [], []
    for name, weights in model.named_parameters():
        inside = weights.ndim == 2 and (".layers." in name or ".blocks." in name)
        (matrices if inside else others).append(weights)
    muon = torch.optim.Muon([{"params": matrices, "scale": 2}], weight_decay=0.01, adjust_lr_fn="match_rms_adamw")
    return [muon, torch.optim.AdamW([{"params": others, "scale": 1}], betas=(0.9, 0.98), weight_decay=0.01)]


def draw_batch(lines, draw, size):
    """Draws lines of similar lengths, since padding costs time, from lines sorted by length."""
    start = draw.randrange(max(1, len(lines) - 8 * size))
    return draw.choices(lines[start : start + 8 * size], k=size)


def by_family(lines):
    groups = {}
    for line in lines:
        groups.setdefault(line["family"], []).append(line)
    return groups


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("model")
    parser.add_argument("lines")
    parser.add_argument("output")
    parser.add_argument("--steps", type=int, default=4000)
    parser.add_argument("--batch", type=int, default=16)
    parser.add_argument("--rate", type=float, default=1e-3)
    parser.add_argument("--minutes", type=float, default=math.inf)
    parser.add_argument("--families")
    options = parser.parse_args()
    torch.manual_seed(1)
    torch.set_num_threads(int(os.environ.get("OMP_NUM_THREADS", "1")))
    config = AutoConfig.from_pretrained(options.model)
    model = AutoModelForImageTextToText.from_pretrained(options.model, dtype=torch.float32)
    model.train()
    examples = Examples(options.lines, AutoProcessor.from_pretrained(options.model), config.image_token_id)
    order = random.Random(1)
    chosen = options.families and options.families.split(",")
    lines = [line for line in examples.lines if not chosen or line["family"] in chosen]
    order.shuffle(lines)
    held = lines[: max(32, min(400, len(lines) // 20))]
    length = lambda line: sum(len(piece["tokens"]) if "tokens" in piece else piece["length"] for piece in line["pieces"])
    trained = [sorted(family, key=length) for family in by_family(lines[len(held) :]).values()]
    optimisers = make_optimisers(model)
    state, first = os.path.join(options.output, "state.pt"), 0
    os.makedirs(options.output, exist_ok=True)
    if os.path.exists(state):
        saved = torch.load(state)
        model.load_state_dict(saved["model"])
        for optimiser, known in zip(optimisers, saved["optimisers"]):
            optimiser.load_state_dict(known)
        first = saved["step"]
    begun, recent = time.time(), []

    def save(step):
        known = [optimiser.state_dict() for optimiser in optimisers]
        torch.save({"model": model.state_dict(), "optimisers": known, "step": step}, f"{state}.new")
        os.replace(f"{state}.new", state)

    print(f"{sum(p.numel() for p in model.parameters()):,} parameters, {sum(map(len, trained))} answers, from step {first}", flush=True)
    step = first
    while step < options.steps and (time.time() - begun) / 60 < options.minutes:
        rate = options.rate * min(1, (step + 1) / 100) * max(0.05, min(1, 2.5 * (1 - step / options.steps)))
        for optimiser in optimisers:
            for group in optimiser.param_groups:
                group["lr"] = rate * group["scale"]
        lines = draw_batch(trained[step % len(trained)], random.Random(step), options.batch)
        logits, labels = answer_logits(model, examples.batch(lines))
        loss = torch.nn.functional.cross_entropy(logits, labels[labels != -100])
        model.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        for optimiser in optimisers:
            optimiser.step()
        recent.append(loss.item())
        step += 1
        if step % 25 == 0:
            mean = sum(recent) / len(recent)
            print(f"step {step} loss {mean:.4f} {(time.time() - begun) / (step - first):.2f} s", flush=True)
            recent = []
        if step % 250 == 0:
            save(step)
            for family, answers in by_family(held).items():
                right, tokens = exact(model, examples, answers, options.batch)
                print(f"step {step} held out {family}: answers {right:.3f} tokens {tokens:.3f}", flush=True)
    save(step)
    model.save_pretrained(options.output)
    for name in os.listdir(options.model):
        if not name.endswith(".safetensors") and not os.path.exists(os.path.join(options.output, name)):
            shutil.copy(os.path.join(options.model, name), options.output)


if __name__ == "__main__":
    main()
