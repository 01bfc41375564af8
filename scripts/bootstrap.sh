#!/usr/bin/env bash
# Finds uv or brings it into ./.uv, then makes .venv from uv.lock. Run by `make setup`.
set -euo pipefail
cd "$(dirname "$0")/.."

UV_VERSION=0.13.9

say() { printf '%s\n' "$*" >&2; }

python=$(command -v python3 || true)
if [ -z "$python" ] || ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
  say "Python 3.11 or newer is needed as python3 on the PATH."
  exit 2
fi

bring_uv() {
  # An environment of its own where the machine can make one; else pip into a folder; else, on a
  # Debian without pip and as root, Debian's own pip first.
  if "$python" -m venv .uv >/dev/null 2>&1 && .uv/bin/python -m pip install --quiet "uv==$UV_VERSION" >&2; then
    return
  fi
  rm -rf .uv
  if ! "$python" -m pip --version >/dev/null 2>&1; then
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
      say "python3 has no pip; installing Debian's python3-pip"
      apt-get update -qq >&2
      apt-get install -y -qq --no-install-recommends python3-pip >&2
    else
      say "uv is missing and python3 has neither venv nor pip. Install uv, or the packages python3-venv or python3-pip."
      exit 2
    fi
  fi
  "$python" -m pip install --quiet --disable-pip-version-check --target .uv "uv==$UV_VERSION" >&2
}

uv=$(command -v uv || true)
if [ -z "$uv" ]; then
  [ -x .uv/bin/uv ] || bring_uv
  uv=$PWD/.uv/bin/uv
fi

# Where Python is told to write no bytecode, every process would compile every package anew.
if [ -n "${PYTHONDONTWRITEBYTECODE:-}" ]; then
  export UV_COMPILE_BYTECODE=1
fi

# A machine behind a proxy of its own may trust certificates that uv does not bring along.
if ! "$uv" sync --locked --python "$python" >&2; then
  say "That failed; trying again with the certificates that this machine trusts."
  UV_SYSTEM_CERTS=1 UV_NATIVE_TLS=1 "$uv" sync --locked --python "$python" >&2
fi
