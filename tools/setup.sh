#!/bin/bash
# Installs what a goal needs and is not there: tools/setup.sh [node] [c] [wasm] [browser]
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
        *)
            echo "tools/setup.sh does not know $need: use node, c, wasm, browser" >&2
            exit 2 ;;
    esac
done
