"""What CI and developers run. Every session makes its own environment from constraints.txt."""

from __future__ import annotations

import argparse
import os
import shutil
from pathlib import Path

import nox

nox.options.default_venv_backend = "virtualenv"
nox.options.reuse_existing_virtualenvs = True
nox.options.sessions = ["conformance"]
nox.options.error_on_missing_interpreters = False
nox.needs_version = ">=2025.5"

# Every test starts processes: without bytecode, each would compile the engine and its framework again.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
# Most modules of the frameworks are never imported; those that are get compiled then.
os.environ["PIP_NO_COMPILE"] = "1"

# pyenv hides all but one of its interpreters; `pythons` looks for each of these.
PYTHONS = ("3.11", "3.12", "3.13")
_PYENV = Path(os.environ.get("PYENV_ROOT", "~/.pyenv")).expanduser() / "versions"
if _FOUND := [path.name for version in PYTHONS for path in sorted(_PYENV.glob(f"{version}.*"))]:
    os.environ.setdefault("PYENV_VERSION", ":".join(_FOUND))

CONSTRAINTS = "constraints.txt"
_IN_PARALLEL = ("--numprocesses", str((os.cpu_count() or 1) + 4), "--dist", "worksteal")
"""Four test processes more than cores: many tests wait."""
PURE_PACKAGES = (
    "tensors",
    *(f"protocol.{module}" for module in ("call", "form", "frames", "layout", "messages", "outcome")),
    "spec",
    "suite",
    "judge",
    "log",
    "report",
    "authoring",
    *(f"run.{module}" for module in ("run_plan", "selection")),
)
"""Packages without processes, and such modules of others."""
COVERED_PERCENT = 95
"""Lines and branches of the pure packages that the fast tests must reach."""
SOURCES = ("conformance", "adapters", "tests", "benchmarks", "docs", "tools", "noxfile.py")


def _install(session: nox.Session, *packages: str) -> None:
    session.install("--constraint", CONSTRAINTS, *packages)


def _install_programs(session: nox.Session, *names: str) -> None:
    """Debian's packages of these names, of which the program is missing; other systems bring their own."""
    paths = os.pathsep.join([os.environ["PATH"], "/usr/sbin"])
    missing = [name for name in names if shutil.which(PROGRAMS[name], path=paths) is None]
    if missing and shutil.which("apt-get") is not None and os.geteuid() == 0:
        session.run_install("apt-get", "update", "-qq", external=True)
        session.run_install("apt-get", "install", "-y", "-qq", "--no-install-recommends", *missing, external=True)


BROWSERS = ("chromium", "firefox-esr")
"""For the tests of the report."""
SSH = ("openssh-client", "openssh-server")
"""For the test of a target on another machine."""
PROGRAMS = {"chromium": "chromium", "firefox-esr": "firefox-esr", "openssh-client": "ssh", "openssh-server": "sshd"}
FRAMEWORKS = ("openvino", "onnxruntime", "torch")


@nox.session
def conformance(session: nox.Session) -> None:
    """Run the 6,000 checks that tell most on all targets, and write the report.

    `-- --set default` runs all, and `-- --target openvino` installs and runs that one alone.
    """
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("-t", "--target", action="append", default=[])
    targets = parser.parse_known_args(session.posargs)[0].target
    named = [name for name in FRAMEWORKS if not targets or any(target.startswith(name) for target in targets)]
    _install(session, f".[{','.join(named)}]" if named else ".")
    session.run("conformance", "run", "--strict-records", *(session.posargs or ("--checks", "6000")))


@nox.session
def quick(session: nox.Session) -> None:
    """What to run while you work: style, layers, types and unit tests, in less than a minute."""
    _install(session, "--editable", ".[test,dev]", "nox", "ruff")
    session.run("ruff", "check", *SOURCES)
    session.run("ruff", "format", "--check", *SOURCES)
    session.run("lint-imports", env={"PYTHONPATH": "."})
    session.run("mypy")
    session.run("pytest", *_IN_PARALLEL, "tests/unit", *session.posargs)


@nox.session
def tests(session: nox.Session) -> None:
    """Run the fast tests, without frameworks and browsers: all that are not marked as slow.

    It must reach most of the pure packages. `-- tests/unit/judge` runs those tests alone, and measures nothing.
    """
    _install(session, "--editable", ".[test]")
    measured = [f"--cov=conformance.{package}" for package in PURE_PACKAGES]
    floor = ("--cov-report=", f"--cov-fail-under={COVERED_PERCENT}")
    session.run("pytest", *_IN_PARALLEL, "-m", "not slow", *(session.posargs or (*measured, *floor)))


@nox.session(python=PYTHONS)
def pythons(session: nox.Session) -> None:
    """Run the fast tests and the first command of the README in each supported Python that the machine has."""
    _install(session, "--editable", ".[test,onnxruntime]")
    session.run("pytest", *_IN_PARALLEL, "-m", "not slow", *session.posargs)
    output = Path(session.create_tmp()) / "results"
    run = ("run", "--target", "onnxruntime", "--operator", "onnx.Gather-13", "--output", str(output))
    session.run("conformance", *run)


@nox.session
def acceptance(session: nox.Session) -> None:
    """Run the slow tests, on the real frameworks, on machines of a lab, and in a real browser."""
    _install(session, "--editable", ".[all,test]")
    _install_programs(session, *BROWSERS, *SSH)
    session.run("pytest", *_IN_PARALLEL, "-m", "slow", *session.posargs)


@nox.session
def browser(session: nox.Session) -> None:
    """Test the report in a real browser, which `acceptance` does too."""
    _install(session, "--editable", ".[test]")
    _install_programs(session, *BROWSERS)
    session.run("pytest", "tests/browser", *session.posargs)


@nox.session
def docs(session: nox.Session) -> None:
    """Run every command of the README and the guides, which `acceptance` does too."""
    _install(session, "--editable", ".[all,test]")
    session.run("pytest", "tests/docs", *session.posargs)


@nox.session
def pictures(session: nox.Session) -> None:
    """Take the pictures of the README and the guides; `-- LOG` takes them of an earlier run of all cases."""
    _install(session, "--editable", ".[all,test]", "pillow")
    _install_programs(session, *BROWSERS)
    session.run("python", "docs/pictures.py", *session.posargs)


@nox.session
def mutants(session: nox.Session) -> None:
    """Prove by mutation that faulty backends, and faults of the engine itself, are noticed."""
    _install(session, "--editable", ".[test]")
    for broken in ("backends", "engine"):
        session.run("python", f"tests/breakers/{broken}", *session.posargs)


@nox.session
def seeded(session: nox.Session) -> None:
    """Prove that recorded deviations excuse no other fault: copies of the adapters with faults behind the framework."""
    _install(session, "--editable", ".[all]")
    session.run("python", "tests/breakers/data", *session.posargs)


@nox.session
def environments(session: nox.Session) -> None:
    """Ask each target under every instruction set, on one core, in perturbed memory, with one and two threads."""
    _install(session, "--editable", ".[all]")
    session.run("python", "tests/breakers/environments", *session.posargs)


@nox.session
def lint(session: nox.Session) -> None:
    """Check style, layers, and what commits add; `-- BASE` names the commit after which they are checked."""
    _install(session, "ruff", "import-linter")
    session.run("ruff", "check", *SOURCES)
    session.run("ruff", "format", "--check", *SOURCES)
    session.run("lint-imports", env={"PYTHONPATH": "."})
    session.run("python", "tools/commit_size.py", *session.posargs)


@nox.session
def types(session: nox.Session) -> None:
    """Check types, strictly, of the engine, the adapters and the tests."""
    _install(session, "--editable", ".[dev]", "nox")
    session.run("mypy")
    for path in sorted(Path("tests").rglob("*.py")):
        if path.name in ("conftest.py", "__main__.py"):  # several modules of one name
            session.run("mypy", str(path), silent=True)
    config, folder = Path("pyproject.toml").resolve(), session.create_tmp()
    packages = {"adapters/onnx-backend": "onnx_backend", "adapters/onnx-reference": "onnx_reference"}
    for place, package in packages.items():
        shutil.copytree(place, Path(folder) / package, dirs_exist_ok=True)
    with session.chdir(folder):
        session.run("mypy", "--config-file", str(config), *(f"--package={package}" for package in packages.values()))


@nox.session
def cases(session: nox.Session) -> None:
    """Lint all case files, and compare them with the NumPy reference."""
    _install(session, ".")
    session.run("conformance", "check")


@nox.session
def reproducers(session: nox.Session) -> None:
    """Run the script of every recorded deviation: each must show its fault without this project."""
    _install(session, ".[all]")
    session.run("conformance", "repro", "--recorded", "--run", *session.posargs)


@nox.session
def build(session: nox.Session) -> None:
    """Build the wheel, and run some cases from it, away from the checkout."""
    _install(session, "build")
    session.env["PIP_CONSTRAINT"] = str(Path(CONSTRAINTS).resolve())
    dist = Path(session.create_tmp()) / "dist"
    shutil.rmtree(dist, ignore_errors=True)
    session.run("python", "-m", "build", "--wheel", "--outdir", str(dist), silent=True)
    wheel = next(dist.glob("*.whl"))
    session.run("python", "-m", "pip", "uninstall", "--yes", "--quiet", "opconform")
    _install(session, str(wheel))
    away = dist.parent / "away"
    away.mkdir(exist_ok=True)
    session.chdir(away)
    session.run("python", "-P", "-c", _WHEEL_IS_USED)
    session.run("conformance", "run", "--target", "numpy", "--operator", "onnx.Split-13", "--quiet")


_WHEEL_IS_USED = "import conformance, sys; sys.exit('site-packages' not in conformance.__file__)"


@nox.session
def release(session: nox.Session) -> None:
    """Check all case files, and put their digests and those of the profiles down in profiles/releases.yaml."""
    _install(session, "--editable", ".")
    session.run("conformance", "check")
    session.run("python", "tools/release.py")


@nox.session
def publish(session: nox.Session) -> None:
    """Certify the products of reports/products.yaml, and make the tables of reports/ anew."""
    _install(session, "--editable", ".[all]")
    session.run("python", "tools/publish.py", "reports", *session.posargs)


@nox.session
def published(session: nox.Session) -> None:
    """Verify every certificate in reports/, which `acceptance` does too."""
    _install(session, "--editable", ".")
    for path in sorted(Path("reports").glob("*/certificate.yaml")):
        session.run("conformance", "verify", str(path.parent), *session.posargs)


@nox.session
def benchmarks(session: nox.Session) -> None:
    """Measure the engine against bare loops, and the report in a browser."""
    _install(session, ".[all]", "playwright", "pytest")
    _install_programs(session, *BROWSERS)
    for script in sorted(Path("benchmarks").glob("bench_*.py")):
        session.run("python", str(script), *session.posargs)
