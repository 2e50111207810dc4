#!/bin/sh
# makeRoot.sh CLONE COMMIT FOLDER: makes a root file system of Debian 12 with a repository in /testbed at a commit, without what came after it,
# and a Python environment for Flask 2.3. Stands in for an image of SWE-bench: same paths, the instance's packages, not the image's system.
# Needs root, mmdebstrap, git, pip, and the registries of Debian and PyPI.
set -eu
clone=$(realpath "$1") commit=$2 root=$3
wheels=$(mktemp -d)
trap 'rm -rf "$wheels"' EXIT
set -- werkzeug==2.3.7 jinja2==3.1.2 itsdangerous==2.1.2 click==8.1.3 markupsafe==2.1.3 blinker==1.6.2 \
  pytest==7.3.0 python-dotenv==1.0.0 asgiref==3.6.0 setuptools==70.0.0 wheel==0.45.1
pip download --quiet --dest "$wheels" --only-binary :all: --python-version 3.11 "$@"
mmdebstrap --quiet --variant=minbase --include=python3,python3-venv,git,patch,util-linux bookworm "$root"
mkdir "$root/testbed" "$root/wheels"
cp "$wheels"/*.whl "$root/wheels"
git -C "$root/testbed" init --quiet --initial-branch=main
git -C "$root/testbed" fetch --quiet "$clone" "$commit"
git -C "$root/testbed" reset --quiet --hard FETCH_HEAD
pip="env -i PATH=/usr/bin:/bin HOME=/root /opt/testbed/bin/pip install --quiet --no-index --find-links /wheels"
chroot "$root" python3 -m venv /opt/testbed
chroot "$root" $pip "$@"
chroot "$root" $pip --no-build-isolation --editable /testbed
rm -r "$root/wheels"
# Evaluation scripts and shells of the images activate the environment with conda.
mkdir -p "$root/opt/miniconda3/bin"
printf 'conda() { [ "$1" != activate ] || . "/opt/$2/bin/activate"; }\n' > "$root/opt/miniconda3/bin/activate"
printf '. /opt/miniconda3/bin/activate; conda activate testbed\n' >> "$root/root/.bashrc"
git -C "$root/testbed" status --short
