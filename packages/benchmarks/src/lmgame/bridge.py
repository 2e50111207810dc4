"""Serves LMGame-Bench's games without a ROM to gyre, from a clone of GamingAgent: environments, scores, log files."""

import base64
import io
import json
import os
import pathlib
import shutil
import sys
import tempfile
import types
from importlib.metadata import version

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "bridge"))

from bridge import BadInput, serve  # noqa: E402

clone = pathlib.Path(sys.argv[1]).resolve()
environments = clone / "gamingagent" / "envs"
sys.path[:0] = [str(clone), str(environments / "custom_03_candy_crush")]

# Games draw pictures, and open no window.
os.environ.pop("DISPLAY", None)
os.environ["SDL_VIDEODRIVER"] = "dummy"
# The agents' modules import the clients of all model vendors; the games need none.
serving = types.ModuleType("tools.serving")
serving.APIManager = None
sys.modules["tools.serving"] = serving

import PIL.Image  # noqa: E402
import PIL.ImageDraw  # noqa: E402
import yaml  # noqa: E402
from gamingagent.envs.custom_01_2048.twentyFortyEightEnv import TwentyFortyEightEnv  # noqa: E402
from gamingagent.envs.custom_02_sokoban.sokobanEnv import SokobanEnv  # noqa: E402
from gamingagent.envs.custom_03_candy_crush.candyCrushEnv import CandyCrushEnv  # noqa: E402
from gamingagent.envs.custom_04_tetris.tetrisEnv import TetrisEnv  # noqa: E402

packages = ["gymnasium", "numpy", "pillow"]
folders = {
    "sokoban": "custom_02_sokoban",
    "tetris": "custom_04_tetris",
    "candy_crush": "custom_03_candy_crush",
    "twenty_forty_eight": "custom_01_2048",
}


def settings_of(game):
    """Returns the constructor's terms, as single_agent_runner.py reads them, and the terms of a run."""
    path = environments / folders[game] / "game_env_config.json"
    config = json.loads(path.read_text())
    run = yaml.safe_load((clone / "gamingagent" / "configs" / folders[game] / "config.yaml").read_text())["game_env"]
    return path, config, run


def made(game, mode, folder):
    path, config, _ = settings_of(game)
    terms = config.get("env_init_kwargs", {})
    adapter = {
        "game_name_for_adapter": game,
        "observation_mode_for_adapter": mode,
        "agent_cache_dir_for_adapter": str(folder),
        "game_specific_config_path_for_adapter": str(path),
        "max_stuck_steps_for_adapter": config["max_unchanged_steps_for_termination"],
    }
    if game == "sokoban":
        return SokobanEnv(
            dim_room=tuple(terms["dim_room"]),
            max_steps_episode=terms["max_steps_episode"],
            num_boxes=terms["num_boxes"],
            num_gen_steps=terms["num_gen_steps"],
            level_to_load=config["level_to_load"],
            tile_size_for_render=config["tile_size_for_render"],
            **adapter,
        )
    if game == "twenty_forty_eight":
        return TwentyFortyEightEnv(size=terms["size"], max_pow=terms["max_pow"], **adapter)
    if game == "candy_crush":
        # It reads its own terms from the file.
        return CandyCrushEnv(**adapter)
    return TetrisEnv(**terms, **adapter)


class Episode:
    env = None
    game = ""
    limit = 0
    mode = "vision"
    settings = {}
    folder = None
    scratch = None
    steps = 0
    reward = 0.0
    perf = 0.0
    info = {}
    shown = None
    ended = (False, False)
    recorded = False


episode = Episode()


def hello(_terms):
    games = []
    for game in folders:
        _, _, run = settings_of(game)
        games.append({"name": game, "seed": run["seed"], "steps": run["max_steps"], "runs": run["num_runs"]})
    return {"versions": {name: version(name) for name in packages}, "games": games}


def start(terms):
    close()
    game = terms["game"]
    if game not in folders:
        raise BadInput(f"{game} is no game without a ROM: use {', '.join(folders)}")
    if terms["folder"] is None:
        episode.scratch = tempfile.mkdtemp(prefix="gyre-lmgame-")
        episode.folder = pathlib.Path(episode.scratch)
    else:
        episode.folder = pathlib.Path(terms["folder"])
        shutil.rmtree(episode.folder, ignore_errors=True)
        episode.folder.mkdir(parents=True)
    episode.game, episode.limit, episode.mode = game, terms["steps"], terms["mode"]
    episode.steps, episode.reward, episode.perf, episode.recorded = 0, 0.0, 0.0, False
    episode.ended = (False, False)
    # As base_agent.py writes it. gyre's agent has no modules, which is "harness": false.
    agent = {"game_name": game, "model_name": terms["player"], "observation_mode": episode.mode, "harness": False}
    episode.settings = {**agent, "num_runs": 1, "seed": terms["seed"], "max_steps_per_episode": episode.limit}
    agent = {**agent, "cache_dir": str(episode.folder), "modules": {}}
    (episode.folder / "agent_config.json").write_text(json.dumps(agent, indent=2))
    episode.env = made(game, episode.mode, episode.folder)
    observation, episode.info = episode.env.reset(seed=terms["seed"], max_memory=10, episode_id=terms["episode"])
    board = {}
    if game == "candy_crush":
        tile = episode.env._game_env_config["tile_size_for_render"]
        board = {"board": {"rows": episode.env.num_rows, "columns": episode.env.num_cols, "tile": tile}}
    return {**observed(observation), **board}


def step(terms):
    if any(episode.ended):
        raise BadInput("the game is over")
    observation, reward, terminated, truncated, episode.info, perf = _started().step(agent_action_str=terms["action"])
    episode.steps += 1
    episode.reward += float(reward)
    episode.perf += float(perf)
    episode.ended = (bool(terminated), bool(truncated) or episode.steps >= episode.limit)
    return observed(observation)


def mark(terms):
    """Returns the picture with a frame around a candy: their picture does not show what is selected."""
    _started()
    picture = episode.shown.copy()
    tile = episode.env._game_env_config["tile_size_for_render"]
    left, top = terms["column"] * tile, terms["row"] * tile
    PIL.ImageDraw.Draw(picture).rectangle([left, top, left + tile, top + tile], outline=(255, 255, 255), width=3)
    return reply(picture, "")


def observed(observation):
    picture = PIL.Image.open(observation.img_path).convert("RGB")
    if episode.game == "sokoban":
        # Its levels have different sizes: the screen is as large as the largest.
        levels = episode.env.predefined_levels.values()
        size = max(len(line) for level in levels for line in level), max(len(level) for level in levels)
        tile = episode.env.tile_size_for_render
        screen = PIL.Image.new("RGB", (size[0] * tile, size[1] * tile), (200, 200, 200))
        screen.paste(picture)
        picture = screen
    episode.shown = picture
    return reply(picture, observation.textual_representation or "")


def reply(picture, text):
    png = io.BytesIO()
    picture.save(png, "PNG")
    terminated, truncated = episode.ended
    return {
        "picture": base64.b64encode(png.getvalue()).decode(),
        "size": {"width": picture.width, "height": picture.height},
        "text": text,
        "score": score(),
        "terminated": terminated,
        "truncated": truncated,
    }


def score():
    """Returns the table's score. Tetris has no total_score: theirs is the sum of perf_score over the log."""
    return episode.perf if episode.game == "tetris" else float(episode.info["total_score"])


def won():
    if episode.game == "sokoban":
        return episode.env.current_level == episode.env.max_level and bool(episode.info["all_boxes_on_target"])
    return episode.game == "twenty_forty_eight" and int(episode.info["max_tile_power"]) >= 11


def finish(_terms):
    env = _started()
    if not episode.recorded:
        episode.recorded = True
        env.adapter.record_episode_result(
            episode_id=env.adapter.current_episode_id,
            score=score(),
            steps=episode.steps,
            total_reward=episode.reward,
            total_perf_score=episode.perf,
        )
        env.adapter.finalize_and_save_summary(episode.settings)
        env.adapter.close_log_file()
    return {"score": score(), "steps": episode.steps, "reward": episode.reward, "perf": episode.perf, "won": won()}


def _started():
    if episode.env is None:
        raise BadInput("no game was started")
    return episode.env


def close():
    if episode.env is not None:
        episode.env.close()
    if episode.scratch is not None:
        shutil.rmtree(episode.scratch, ignore_errors=True)
    episode.env, episode.scratch = None, None


serve({"hello": hello, "start": start, "step": step, "mark": mark, "finish": finish}, close)
