"""Harbor's environments on sessions of gyre, and gyre as an agent of Harbor."""

from gyre_harbor.agent import GyreAgent
from gyre_harbor.environment import GyreEnvironment
from gyre_harbor.server import RuntimeRequestError

__all__ = ["GyreAgent", "GyreEnvironment", "RuntimeRequestError"]
