# Everything here works on a fresh Debian or Ubuntu machine; elsewhere it says what is missing.
#   make demo    three agents answer the demo people's questions, scored
#   make test    the test suite
#   make lint    ruff and mypy
PYTHON ?= python3
comma := ,
VENV := .venv
FOLDERS := deskgym env sandbox_images tools agents tasks

# A plain editable install: it follows new files by itself, and `import deskgym` works from this
# folder too. (A strict one breaks there: the folder deskgym/ beside you is only its front door.)
STAMP := $(VENV)/.installed

# $(call need,COMMAND,PACKAGES): install Debian packages if a check fails, or say that they miss.
define need
@$(1) >/dev/null 2>&1 || { \
    if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
        echo "installing $(2)"; \
        apt-get update -q >/dev/null || true; \
        DEBIAN_FRONTEND=noninteractive \
            apt-get install -y -q --no-install-recommends $(2) </dev/null >/dev/null; \
    else \
        echo "missing: $(2). Install it, then run make again" >&2; exit 1; \
    fi; }
endef

.PHONY: setup demo test lint types clean

setup: $(STAMP)
	@$(VENV)/bin/deskgym setup

$(STAMP): pyproject.toml
	$(call need,command -v $(PYTHON),python3)
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	    { echo "$(PYTHON) is older than 3.11: make PYTHON=/path/to/python3.11" >&2; exit 1; }
	$(call need,$(PYTHON) -c "import ensurepip$(comma) venv",python3-venv)
	@[ -x $(VENV)/bin/python ] || $(PYTHON) -m venv $(VENV)
	@echo "installing deskgym into $(VENV)"
	@$(VENV)/bin/python -m pip install --quiet --disable-pip-version-check \
	    --editable '.[dev]'
	@touch $@

demo: setup
	$(VENV)/bin/deskgym demo

# What the demo people's files are made with, which the tests do again. Most tests wait for processes
# and desks, so that there are more workers than cores; each takes whole modules.
WORKERS ?= 4
test: setup
	$(call need,command -v ffmpeg,ffmpeg)
	$(call need,command -v espeak-ng,espeak-ng)
	$(VENV)/bin/python -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder $(ARGS)

lint: $(STAMP) types
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/mypy

# The package as one tree, for mypy: links to where its parts really lie.
types:
	@mkdir -p build/types/deskgym
	@find build/types/deskgym -xtype l -delete
	@for file in deskgym/*; do \
	    case $$file in */__pycache__) ;; *) ln -sfn ../../../$$file build/types/$$file ;; esac; done
	@for folder in $(filter-out deskgym,$(FOLDERS)); do \
	    ln -sfn ../../../$$folder build/types/deskgym/$$folder; done

clean:
	@[ ! -x $(VENV)/bin/deskgym ] || $(VENV)/bin/deskgym clean || true
	rm -rf $(VENV) build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find $(FOLDERS) tests -name __pycache__ -type d -prune -exec rm -rf {} +
