"""Calls the rest of the SDK: every refusal must raise soon, with the server's words. Arguments: task, and saved weights
of an earlier server."""

import base64
import json
import sys
import threading
import time

import tinker
from tinker import types
from tinker.lib.client_connection_pool_type import ClientConnectionPoolType

task = json.loads(sys.argv[1])
earlier = sys.argv[2]
image = types.ImageChunk(data=base64.b64decode(task["png"]), format="png", expected_tokens=task["cells"])
action = task["action"]
longest = 5.0


def done(value):
    """Waits where SDK 0.38 returns a future and 0.25 a value."""
    return value.result() if hasattr(value, "result") else value


def refused(name, work, words):
    """Fails unless the call raises within `longest` seconds, with these words."""
    raised = []

    def run():
        try:
            done(work())
        except Exception as error:
            raised.append(error)

    start = time.monotonic()
    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(longest)
    assert not thread.is_alive(), f"{name} neither raised nor returned"
    assert raised, f"{name} was not refused"
    assert words in str(raised[0]), f"{name}: {raised[0]}"
    print(f"{name}: {type(raised[0]).__name__} after {time.monotonic() - start:.2f} s")


def sequence(tokens):
    return types.ModelInput(chunks=[image, types.EncodedTextChunk(tokens=tokens)])


def tensor(values, dtype):
    return types.TensorData(data=values, dtype=dtype, shape=[len(values)])


def datum(tokens=action, targets=None):
    before = task["cells"] + len(task["prompt"]) - 1
    targets = [0] * before + tokens if targets is None else targets
    weights = [0.0] * before + [1.0] * len(tokens)
    inputs = {"target_tokens": tensor(targets, "int64"), "weights": tensor(weights, "float32")}
    return types.Datum(model_input=sequence(task["prompt"] + tokens[:-1]), loss_fn_inputs=inputs)


def logprobs(client):
    return client.forward([datum()], "cross_entropy").result().loss_fn_outputs[0]["logprobs"].data[-len(action) :]


def check_creation(service):
    create = service.create_lora_training_client
    refused("another base model", lambda: create(base_model="missing", rank=8), "this server has nano")
    load = service.create_training_client_from_state
    refused("unknown weights", lambda: load("tinker://a/weights/b"), "there are no saved weights")
    refused("malformed path", lambda: load("tinker://a"), "tinker://MODEL/weights/NAME")
    sample = service.create_sampling_client
    refused("sampling from the base", lambda: sample(base_model="nano"), "not from the base model")
    refused("unknown sampler", lambda: sample(model_path="tinker://a/sampler_weights/b"), "no published weights")


def check_training(service, client):
    for name in ("forward", "forward_backward"):
        run = getattr(client, name)
        refused(f"{name}, loss", lambda: run([datum()], "dro"), "is none of cross_entropy")
        refused(f"{name}, config", lambda: run([datum()], "ppo", {"a": 1.0}), "does not take")
        refused(f"{name}, shape", lambda: run([datum(targets=[1])], "cross_entropy"), "has 1 values")
        refused(f"{name}, token", lambda: run([datum([10**8] + action[1:])], "cross_entropy"), "unknown token")
    refused("ppo without advantages", lambda: client.forward_backward([datum()], "ppo"), "ppo needs them")
    refused("negative rate", lambda: client.optim_step(types.AdamParams(learning_rate=-1)), "learning_rate")
    refused("name", lambda: client.save_state("a/b"), "letters, digits")
    refused("load into a used model", lambda: client.load_state(earlier), "first request of a model")
    refused("second model", lambda: service.create_training_client_from_state(earlier), "one model at a time")
    info = done(client.get_info())
    assert (info.model_data.model_name, info.is_lora) == ("nano", False), info


def check_sampling(client):
    path = client.save_weights_for_sampler("one").result().path
    sampler = done(client.create_sampling_client(path))
    params = types.SamplingParams

    def sample(words, prompt=sequence(task["prompt"]), count=1, **fields):
        refused(f"sample, {words}", lambda: sampler.sample(prompt, count, params(**fields)), words)

    sample("max_tokens")
    sample("max_tokens", max_tokens=0)
    sample("stop at token ids", max_tokens=9, stop="a")
    sample("does not sample by top_k", max_tokens=9, top_k=5)
    sample("top_p", max_tokens=9, top_p=0.0)
    sample("temperature", max_tokens=9, temperature=-1.0)
    sample("num_samples", max_tokens=9, count=0)
    sample("has no image", prompt=types.ModelInput.from_ints([1, 2]), max_tokens=9)
    partial = sequence(task["prompt"] + action[:1])
    refused("logprobs of a partial action", lambda: sampler.compute_logprobs(partial), "cannot continue")
    scores = sampler.compute_logprobs(sequence(task["prompt"] + action)).result()
    assert scores[0] is None and len(scores) == task["cells"] + len(task["prompt"] + action), scores
    gap = max(abs(a - b) for a, b in zip(scores[-len(action) :], logprobs(client)))
    assert gap < 1e-5, gap
    assert done(sampler.get_base_model()) == "nano"
    return path


def check_rest(service, client, sampled):
    rest = service.create_rest_client()
    run = client.model_id
    path = client.save_state("mine", ttl_seconds=7200).result().path
    assert rest.get_training_run(run).result().user_metadata == {"renderer_name": "native"}
    assert rest.get_training_run_by_tinker_path(path).result().training_run_id == run
    assert rest.get_weights_info_by_tinker_path(path).result().base_model == "nano"
    ids = [each.checkpoint_id for each in rest.list_checkpoints(run).result().checkpoints]
    assert sorted(ids) == ["sampler_weights/one", "weights/mine"], ids
    listed = [each.tinker_path for each in rest.list_user_checkpoints().result().checkpoints]
    assert {path, sampled, earlier} <= set(listed), listed
    runs = rest.list_training_runs(limit=1).result()
    assert (len(runs.training_runs), runs.cursor.total_count) == (1, 2), runs
    session = client.holder.get_session_id()
    assert run in rest.get_session(session).result().training_run_ids
    assert session in rest.list_sessions().result().sessions
    refused("unknown run", lambda: rest.get_training_run("a"), "no training run a")
    refused("time to live", lambda: rest.set_checkpoint_ttl_from_tinker_path(path, 7200), "do not expire")
    rest.set_checkpoint_ttl_from_tinker_path(path, None).result()
    refused("publication", lambda: rest.publish_checkpoint_from_tinker_path(path), "never public")
    refused("audit log", rest.get_audit_log, "this server has no GET /api/v1/audit")
    for each in (path, sampled):
        rest.delete_checkpoint_from_tinker_path(each).result()
    refused("deleted weights", lambda: rest.delete_checkpoint_from_tinker_path(path), "there are no weights")
    assert rest.list_checkpoints(run).result().checkpoints == []


def unload(client):
    """SDK 0.25 has no public method for it."""

    async def send():
        with client.holder.aclient(ClientConnectionPoolType.TRAIN) as http:
            await http.models.unload(request=types.UnloadModelRequest(model_id=client.model_id))

    client.holder.run_coroutine_threadsafe(send()).result()


service = tinker.ServiceClient()
check_creation(service)
client = done(service.create_training_client_from_state_with_optimizer(earlier, user_metadata={"renderer_name": "native"}))
before = [float(value) for value in logprobs(client)]
check_training(service, client)
check_rest(service, client, check_sampling(client))
if hasattr(service, "close"):
    service.close("success").result()
else:
    unload(client)
second = tinker.ServiceClient()
resumed = done(second.create_training_client_from_state(earlier))
assert [float(value) for value in logprobs(resumed)] == before
print("resumed after a restart, and in a second client")
