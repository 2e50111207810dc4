"""The peer `libtorch` of `gyre bench engine --peers`: trains the reference model with PyTorch, on one thread.

Its argument says as JSON how: `heads`, `layers`, `batch`, `time` (tokens of a sequence), `ms` (how long to measure) and `specs`
(name and shape of each parameter). Its input are the parameters (float32), the tokens and the targets (int32), little-endian
and without gaps. The last line that it prints is JSON: `cost`, or `missing` with what is.
"""

import json
import sys
import time as clock


def reply(**what):
    print(json.dumps(what))
    sys.exit()


try:
    import torch
    import torch.nn.functional as F
except ImportError:
    reply(missing="PyTorch")


def has_fast_products():
    """Debian installs the BLAS of the textbook where nobody asks for another: several times slower, so no peer."""
    if torch.backends.mkl.is_available() or not sys.platform.startswith("linux"):
        return True
    with open("/proc/self/maps") as maps:
        return "openblas" in maps.read()


if not has_fast_products():
    reply(missing="a fast BLAS")

torch.set_num_threads(1)
asked = json.loads(sys.argv[1])
heads, layers, batch, time, ms = (asked[key] for key in ("heads", "layers", "batch", "time", "ms"))
data = bytearray(sys.stdin.buffer.read())
offset = 0


def take(count, dtype):
    global offset
    taken = torch.frombuffer(data, dtype=dtype, count=count, offset=offset)
    offset += 4 * count
    return taken


weights = {}
for name, shape in asked["specs"]:
    count = 1
    for length in shape:
        count *= length
    weights[name] = take(count, torch.float32).clone().reshape(shape).requires_grad_()
tokens = take(batch * time, torch.int32).long()
targets = take(batch * time, torch.int32).long()
width = weights["positions"].shape[1]
head_width = width // heads
causal = torch.triu(torch.full((time, time), -64.0), diagonal=1)


def project(x, name):
    return torch.addmm(weights[f"{name}.bias"], x, weights[f"{name}.weight"])


def norm(x, name):
    return F.layer_norm(x, (width,), weights[f"{name}.gamma"], weights[f"{name}.beta"])


def decoder(tokens):
    """Logits [tokens, vocabulary] of whole sequences, one after the other."""
    rows = len(tokens) // time

    def split(x):
        return x.reshape(rows, time, heads, head_width).transpose(1, 2)

    x = F.embedding(tokens, weights["tokens"]) + weights["positions"].repeat(rows, 1)
    for layer in (f"layer{place}" for place in range(layers)):
        y = norm(x, f"{layer}.norm1")
        queries, keys, values = (split(project(y, f"{layer}.{name}")) for name in ("query", "key", "value"))
        scores = queries @ keys.transpose(2, 3) * head_width**-0.5 + causal
        mixed = (scores.softmax(-1) @ values).transpose(1, 2).reshape(rows * time, width)
        z = x + project(mixed, f"{layer}.out")
        x = z + project(F.gelu(project(norm(z, f"{layer}.norm2"), f"{layer}.up")), f"{layer}.down")
    return project(norm(x, "norm"), "head")


def median(work):
    """As `median.ts`."""

    def timed():
        start = clock.perf_counter()
        work()
        return (clock.perf_counter() - start) * 1000

    is_long = timed() >= ms
    if not is_long:
        timed()
    times = []
    end = clock.perf_counter() + ms / 1000
    while clock.perf_counter() < end or len(times) < (2 if is_long else 3):
        times.append(timed())
    return sorted(times)[len(times) // 2]


optimiser = torch.optim.Adam(weights.values(), lr=1e-3, betas=(0.9, 0.999), eps=1e-8)
losses = []


def step():
    loss = F.cross_entropy(decoder(tokens), targets)
    optimiser.zero_grad(set_to_none=True)
    loss.backward()
    optimiser.step()
    losses.append(loss.item())


def infer():
    with torch.inference_mode():
        decoder(tokens[:time])


ms_per_step = median(step)
reply(
    cost={
        "version": torch.__version__,
        "msPerStep": ms_per_step,
        "inferenceMs": median(infer),
        "losses": losses[:3],
    }
)
