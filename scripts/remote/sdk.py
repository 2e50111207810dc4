"""Trains and samples by the SDK of Tinker. The argument is the task that sdk.mjs made."""

import base64
import json
import sys

import tinker
from tinker import types
from tinker.proto import tinker_public_pb2 as pb

task = json.loads(sys.argv[1])
image = types.ImageChunk(data=base64.b64decode(task["png"]), format="png", expected_tokens=task["cells"])


def done(value):
    """Waits where SDK 0.38 returns a future and 0.25 a value."""
    return value.result() if hasattr(value, "result") else value


def sequence(tokens):
    return types.ModelInput(chunks=[image, types.EncodedTextChunk(tokens=tokens)])


def datum(action, **values):
    """Pads the targets of the prompt with 0, as the cookbook does."""
    before = task["cells"] + len(task["prompt"]) - 1
    inputs = {"target_tokens": types.TensorData(data=[0] * before + action, dtype="int64", shape=[before + len(action)])}
    for name, numbers in values.items():
        inputs[name] = types.TensorData(data=[0.0] * before + numbers, dtype="float32", shape=[before + len(numbers)])
    return types.Datum(model_input=sequence(task["prompt"] + action[:-1]), loss_fn_inputs=inputs)


def logprobs(client, action):
    result = client.forward([datum(action, weights=[1.0] * len(action))], "cross_entropy").result()
    return result.loss_fn_outputs[0]["logprobs"].data[-len(action):]


def check_bytes():
    sent = base64.b64decode(task["request"])
    request = pb.ForwardBackwardRequest.FromString(sent)
    assert (request.model_id, request.seq_id, request.loss_fn, request.forward_only) == ("m", 5, "ppo", True)
    assert request.SerializeToString(deterministic=True) == sent


def check_training(client):
    action, losses = task["action"], []
    step = types.AdamParams(learning_rate=0.01)
    for _ in range(10):
        result = client.forward_backward([datum(action, weights=[1.0] * len(action))], "cross_entropy").result()
        client.optim_step(step).result()
        losses.append(result.metrics["loss:sum"])
    assert losses[-1] < losses[0], losses
    print(f"cross_entropy: {losses[0]:.3f} -> {losses[-1]:.3f}")
    for loss in ("importance_sampling", "ppo"):
        sampled = [float(value) for value in logprobs(client, action)]
        client.forward_backward([datum(action, logprobs=sampled, advantages=[1.0] * len(action))], loss).result()
        client.optim_step(step).result()


def check_sampling(client):
    sampler = done(client.save_weights_and_get_sampling_client())
    params = types.SamplingParams(max_tokens=100, temperature=1.0, seed=1)
    response = sampler.sample(sequence(task["prompt"]), 2, params).result()
    assert len(response.sequences) == 2
    for sampled in response.sequences:
        tokens = [int(token) for token in sampled.tokens]
        gap = max(abs(a - b) for a, b in zip(sampled.logprobs, logprobs(client, tokens)))
        assert gap < 1e-4, gap


def check_refusal(service):
    try:
        done(service.create_lora_training_client(base_model="missing", rank=8))
    except tinker.NotFoundError as error:
        assert "this server has nano" in str(error), error
        return
    raise AssertionError("a wrong base model was served")


check_bytes()
service = tinker.ServiceClient()
capabilities = done(service.get_server_capabilities())
assert [model.model_name for model in capabilities.supported_models] == ["nano"]
client = done(service.create_lora_training_client(base_model="nano", rank=8))
check_training(client)
print("saved", client.save_state("mine").result().path)
check_sampling(client)
check_refusal(service)
