#!/usr/bin/env bash
# Builds wheel and source archive of the last commit twice, in two folders, and fails unless they are the
# same to the byte; then writes the bill of materials beside them in ./dist. Run by `make dist`.
set -euo pipefail
cd "$(dirname "$0")/.."

uv=$(command -v uv || echo "$PWD/.uv/bin/uv")
if commit=$(git rev-parse --verify --quiet HEAD); then # once: another may be made while this runs
  SOURCE_DATE_EPOCH=$(git log -1 --format=%ct "$commit")
  source_tree() { git archive "$commit"; }
else
  echo "no git history here: building what stands in this folder, dated 1980" >&2
  SOURCE_DATE_EPOCH=315532800
  source_tree() { tar -c --exclude='./.venv*' --exclude=./.uv --exclude=./dist --exclude=./var \
    --exclude=./deploy/secrets --exclude=./deploy/models .; }
fi
export SOURCE_DATE_EPOCH
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

build() { # with the certificates that this machine trusts where uv's own do not do, as in bootstrap.sh
  "$uv" build --quiet "$@" || UV_SYSTEM_CERTS=1 UV_NATIVE_TLS=1 "$uv" build --quiet "$@"
}

for name in one another-place; do
  mkdir -p "$work/$name"
  source_tree | tar -x -C "$work/$name"
  build --out-dir "$work/$name.out" "$work/$name"
  (cd "$work/$name.out" && sha256sum -- *.whl *.tar.gz) >"$work/$name.sha256"
done
if ! cmp --silent "$work/one.sha256" "$work/another-place.sha256"; then
  echo "two builds of one commit differ:" >&2
  diff "$work/one.sha256" "$work/another-place.sha256" >&2 || true
  exit 1
fi
mkdir -p dist
cp "$work"/one.out/*.whl "$work"/one.out/*.tar.gz dist/
cp "$work/one.sha256" dist/SHA256SUMS
.venv/bin/python -m scripts.sbom dist/mithridate.cdx.json
cat dist/SHA256SUMS
