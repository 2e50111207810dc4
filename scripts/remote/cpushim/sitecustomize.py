"""Runs SkyRL's fsdp backend without a GPU: 'cuda' becomes 'cpu', NCCL becomes Gloo. Models, losses and HTTP are SkyRL's own."""

import importlib.abc
import importlib.util
import os
import sys


def after(name, patch):
    """Patches a module once it is imported."""

    class Finder(importlib.abc.MetaPathFinder):
        def find_spec(self, fullname, path, target=None):
            if fullname != name:
                return None
            sys.meta_path.remove(self)
            spec = importlib.util.find_spec(fullname)
            execute = spec.loader.exec_module

            def exec_module(module):
                execute(module)
                patch(module)

            spec.loader.exec_module = exec_module
            return spec

    sys.meta_path.insert(0, Finder())


def patch_torch(torch):
    cpu = torch.device("cpu")
    cuda = torch.cuda
    cuda.current_device = lambda: cpu
    cuda.device_count = lambda: 1
    for name in ("set_device", "empty_cache", "synchronize", "manual_seed_all", "reset_peak_memory_stats"):
        setattr(cuda, name, lambda *args, **options: None)
    cuda.get_rng_state = lambda *args: torch.get_rng_state()
    cuda.set_rng_state = lambda state, *args: torch.set_rng_state(state)
    cuda.mem_get_info = lambda *args, **options: (0, 0)
    cuda.memory_allocated = cuda.memory_reserved = cuda.max_memory_allocated = lambda *args, **options: 0
    torch.Tensor.cuda = lambda self, *args, **options: self
    base = torch.amp.autocast_mode.autocast

    class autocast(base):
        def __init__(self, device_type, *args, **options):
            super().__init__("cpu" if device_type == "cuda" else device_type, *args, **options)

    torch.autocast = autocast
    torch.accelerator.is_available = lambda: False


def patch_distributed(distributed):
    original = distributed.init_process_group

    def init(backend=None, *args, **options):
        return original("gloo" if backend and "nccl" in backend else backend, *args, **options)

    distributed.init_process_group = init


def patch_mesh(mesh):
    original = mesh.init_device_mesh
    mesh.init_device_mesh = lambda kind, *args, **options: original("cpu" if kind == "cuda" else kind, *args, **options)


def patch_worker(worker):
    worker.DistributedTorchRayActor._set_numa_affinity = lambda self, rank: None
    worker.Worker._set_numa_affinity = lambda self, rank: None


def patch_senders(senders):
    # Adapters reach vLLM by disk; only whole weights go by NCCL.
    senders.build_trainer_engine = lambda *args, **options: None


if os.environ.get("SKYRL_CPU") == "1":
    after("torch", patch_torch)
    after("torch.distributed.distributed_c10d", patch_distributed)
    after("torch.distributed.device_mesh", patch_mesh)
    after("skyrl.backends.skyrl_train.workers.worker", patch_worker)
    after("skyrl.backends.skyrl_train.weight_sync.weight_senders", patch_senders)
