# SPDX-FileCopyrightText: The visviva authors
# SPDX-License-Identifier: Apache-2.0
#
# Everything lies in build/: build/ itself (gcc-12), build/asan (clang-19 with sanitizers), build/f32 (float),
# build/clang (clang-19, in test-long), build/venv (Python packages of the
# peers), build/locale (a locale with a decimal comma).

BUILD := build
VENV := $(BUILD)/venv/bin/python
CC_MAIN ?= gcc-12
CXX_MAIN ?= g++-12
PREFIX ?= /usr/local
MAIN := -G Ninja -DCMAKE_C_COMPILER=$(CC_MAIN) -DCMAKE_CXX_COMPILER=$(CXX_MAIN) -DCMAKE_INSTALL_PREFIX=$(PREFIX)
CLANG := -G Ninja -DCMAKE_C_COMPILER=clang-19 -DCMAKE_CXX_COMPILER=clang++-19 -DVV_TESTS=ON -DVV_WERROR=ON
RUN := $(VENV) scripts/run_tests.py --build $(BUILD)

.PHONY: build install demo test test-build asan-build test-long test-python test-torch test-jax cases peers bench format lint docs clean

build:
	@scripts/setup.sh build
	@test -f $(BUILD)/build.ninja || cmake -S . -B $(BUILD) $(MAIN) -DVV_TESTS=OFF -DVV_WERROR=ON
	@cmake --build $(BUILD) --target programs

install: build
	@cmake --install $(BUILD) --prefix $(PREFIX)

demo: build
	@samples/cube-toss/demo.sh $(ARGS)

# The main build with its tests, the sanitizer build and the float build; all with warnings as errors.
test-build:
	@scripts/setup.sh build test
	@scripts/venv.sh $(BUILD)/venv
	@test -d $(BUILD)/locale || { mkdir -p $(BUILD)/locale && localedef -i de_DE -f UTF-8 $(BUILD)/locale/de_DE.UTF-8; }
	@cmake -S . -B $(BUILD) $(MAIN) -DVV_TESTS=ON -DVV_WERROR=ON >/dev/null
	@cmake --build $(BUILD)

asan-build: test-build
	@cmake -S . -B $(BUILD)/asan $(CLANG) -DVV_SANITIZE=ON -DVV_VVCC=$(CURDIR)/$(BUILD)/vvcc >/dev/null
	@cmake --build $(BUILD)/asan -- --quiet

test: asan-build
	@cmake -S . -B $(BUILD)/f32 $(MAIN) -DVV_FLOAT=ON -DVV_TESTS=ON -DVV_WERROR=ON \
	  -DVV_VVCC=$(CURDIR)/$(BUILD)/vvcc >/dev/null
	@cmake --build $(BUILD)/f32 -- --quiet
	@$(RUN) --asan $(BUILD)/asan --float $(BUILD)/f32 --scripts --cases --peers

test-long: asan-build
	@cmake -S . -B $(BUILD)/clang $(CLANG) -DVV_VVCC=$(CURDIR)/$(BUILD)/vvcc >/dev/null
	@cmake --build $(BUILD)/clang -- --quiet
	@$(RUN) --clang $(BUILD)/clang --asan $(BUILD)/asan --long

# Parts of test-long by themselves.
test-python: test-build
	@VV_ROOT=$(CURDIR) VV_BUILD=$(CURDIR)/$(BUILD) VVCC=$(CURDIR)/$(BUILD)/vvcc sh test/python/long_package.sh

test-torch: test-build
	@VV_ROOT=$(CURDIR) VV_BUILD=$(CURDIR)/$(BUILD) VVCC=$(CURDIR)/$(BUILD)/vvcc sh test/python/long_torch.sh

test-jax: test-build
	@VV_ROOT=$(CURDIR) VV_BUILD=$(CURDIR)/$(BUILD) VVCC=$(CURDIR)/$(BUILD)/vvcc sh test/python/long_jax.sh

cases: test-build
	@$(RUN) --only cases -- $(ARGS)

peers: test-build
	@$(RUN) --only peers -- $(ARGS)

bench: test-build
	@scripts/setup.sh bench
	@$(RUN) --only bench -- $(ARGS)
	@$(VENV) bench/price/price.py --build $(BUILD)

format:
	@scripts/setup.sh lint
	@scripts/sources.sh | xargs clang-format-14 -i

lint: test-build
	@scripts/setup.sh lint
	@scripts/lint.sh $(BUILD)

docs:
	@scripts/docs.sh

clean:
	@rm -rf $(BUILD)
