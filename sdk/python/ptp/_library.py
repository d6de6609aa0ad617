"""libptp in this process, and the programs that were installed with it."""

import ctypes
import ctypes.util
import importlib.machinery
import os
import re
import shutil
import sys
from pathlib import Path


class DLTensor(ctypes.Structure):
    """A tensor of DLPack; see ptp/dlpack.h."""

    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32),
                ("device_id", ctypes.c_int32), ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8),
                ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset", ctypes.c_uint64)]


class DLManagedTensor(ctypes.Structure):
    """A tensor with the function that frees it."""


DLManagedTensor._fields_ = [("dl_tensor", DLTensor), ("manager_ctx", ctypes.c_void_p),
                            ("deleter", ctypes.CFUNCTYPE(None, ctypes.POINTER(DLManagedTensor)))]


class Options(ctypes.Structure):
    """ptp_experiment_options."""

    _fields_ = [("struct_size", ctypes.c_size_t), ("set", ctypes.POINTER(ctypes.c_char_p)),
                ("set_count", ctypes.c_size_t), ("plugins", ctypes.POINTER(ctypes.c_char_p)),
                ("plugin_count", ctypes.c_size_t), ("run_folder", ctypes.c_char_p),
                ("checkpoint", ctypes.c_char_p), ("output", ctypes.c_void_p),
                ("handles_signals", ctypes.c_int32), ("skips_self_test", ctypes.c_int64),
                ("with_plugins", ctypes.c_int64)]


class CProblem(ctypes.Structure):
    """ptp_problem."""

    _fields_ = [("is_warning", ctypes.c_int32), ("file", ctypes.c_char_p),
                ("line", ctypes.c_size_t), ("column", ctypes.c_size_t), ("key", ctypes.c_char_p),
                ("value", ctypes.c_char_p), ("message", ctypes.c_char_p), ("fix", ctypes.c_char_p)]


class CStream(ctypes.Structure):
    """ptp_stream."""

    _fields_ = [("name", ctypes.c_char_p), ("element", ctypes.c_char_p),
                ("shape", ctypes.c_char_p), ("help", ctypes.c_char_p),
                ("is_fed", ctypes.c_int32), ("is_needed", ctypes.c_int32),
                ("is_predicted", ctypes.c_int32)]


_EXPERIMENT = ctypes.c_void_p
_OUT_EXPERIMENT = ctypes.POINTER(_EXPERIMENT)
_OUT_TEXTS = ctypes.POINTER(ctypes.POINTER(ctypes.c_char_p))
_OUT_COUNT = ctypes.POINTER(ctypes.c_size_t)

# The functions of ptp/host.h: result and arguments. A test compares them with the header.
FUNCTIONS = {
    "ptp_experiment_open": (ctypes.c_int32, [ctypes.c_char_p, ctypes.POINTER(Options),
                                             _OUT_EXPERIMENT]),
    "ptp_experiment_parse": (ctypes.c_int32, [ctypes.c_char_p, ctypes.c_char_p,
                                              ctypes.POINTER(Options), _OUT_EXPERIMENT]),
    "ptp_experiment_resume": (ctypes.c_int32, [ctypes.c_char_p, ctypes.POINTER(Options),
                                               _OUT_EXPERIMENT]),
    "ptp_experiment_close": (None, [_EXPERIMENT]),
    "ptp_experiment_check": (ctypes.c_int32, [_EXPERIMENT]),
    "ptp_experiment_problems": (ctypes.c_size_t, [_EXPERIMENT,
                                                  ctypes.POINTER(ctypes.POINTER(CProblem))]),
    "ptp_experiment_streams": (ctypes.c_int32, [_EXPERIMENT,
                                                ctypes.POINTER(ctypes.POINTER(CStream)),
                                                _OUT_COUNT]),
    "ptp_experiment_error": (ctypes.c_char_p, [_EXPERIMENT]),
    "ptp_experiment_run": (ctypes.c_int32, [_EXPERIMENT]),
    "ptp_experiment_step": (ctypes.c_int32, [_EXPERIMENT, ctypes.POINTER(ctypes.c_int32)]),
    "ptp_experiment_save": (ctypes.c_int32, [_EXPERIMENT]),
    "ptp_experiment_stop": (None, [_EXPERIMENT]),
    "ptp_experiment_episodes": (ctypes.c_uint64, [_EXPERIMENT]),
    "ptp_experiment_run_folder": (ctypes.c_char_p, [_EXPERIMENT]),
    "ptp_experiment_statistic": (ctypes.c_int32, [_EXPERIMENT, ctypes.c_char_p,
                                                  ctypes.POINTER(ctypes.c_double)]),
    "ptp_experiment_statistics": (ctypes.c_int32, [_EXPERIMENT, _OUT_TEXTS, _OUT_COUNT]),
    "ptp_experiment_read": (ctypes.c_int32, [_EXPERIMENT, ctypes.c_char_p, ctypes.POINTER(
        ctypes.POINTER(DLManagedTensor))]),
    "ptp_experiment_read_strings": (ctypes.c_int32, [_EXPERIMENT, ctypes.c_char_p, _OUT_TEXTS,
                                                     _OUT_COUNT]),
    "ptp_experiment_feed": (ctypes.c_int32, [_EXPERIMENT, ctypes.c_char_p,
                                             ctypes.POINTER(DLTensor)]),
    "ptp_experiment_feed_strings": (ctypes.c_int32, [_EXPERIMENT, ctypes.c_char_p,
                                                     ctypes.POINTER(ctypes.c_char_p),
                                                     ctypes.c_size_t]),
    "ptp_experiment_predict": (ctypes.c_int32, [_EXPERIMENT]),
}

_loaded = None


def _mapped_libtorch():
    """Returns the libtorch in the memory of this process; "" if there is none."""
    try:
        maps = Path("/proc/self/maps").read_text(errors="replace")
    except OSError:
        return ""
    found = re.search(r"(/\S.*/libtorch_cpu\.so\S*)", maps)
    return found.group(1) if found else ""


class _OtherTorch:
    """Refuses `import torch` once ptp computes, if that has another libtorch: two of them in one
    process crash."""

    def find_spec(self, name, path=None, target=None):
        if name != "torch" or not _mapped_libtorch():
            return None
        spec = importlib.machinery.PathFinder.find_spec("torch")
        for folder in (spec.submodule_search_locations or []) if spec else []:
            library = Path(folder, "lib", "libtorch_cpu.so")
            if library.exists() and not library.samefile(_mapped_libtorch()):
                raise ImportError(f"ptp has loaded {_mapped_libtorch()} in this process, and torch "
                                  f"brings {library}: two of them in one process crash; fix: use "
                                  "torch in another process, or install a ptp that was built for "
                                  "this torch")
        return None


def _candidates():
    """The places of libptp, the first that exists wins."""
    if "PTP_LIBRARY" in os.environ:
        return [os.environ["PTP_LIBRARY"]]
    package = Path(__file__).resolve().parent
    found = [package / "lib" / "libptp.so.0"]
    # PREFIX/lib/python3/dist-packages/ptp, or a virtual environment's lib/python3.11/site-packages.
    found += [folder / "libptp.so.0" for folder in package.parents if folder.name == "lib"]
    program = shutil.which("ptprun")
    if program:
        found.append(Path(program).resolve().parent.parent / "lib" / "libptp.so.0")
    found = [str(path) for path in found if path.exists()]
    by_loader = ctypes.util.find_library("ptp")
    return found + ([by_loader] if by_loader else [])


def library():
    """Returns libptp, which is opened at the first call. Its calls release Python's lock."""
    global _loaded
    if _loaded is None:
        candidates = _candidates()
        if not candidates:
            raise ImportError("libptp.so.0 is not installed, or not where it is looked for: beside "
                              "this package, beside ptprun on the PATH, and by the system's "
                              "loader; fix: install ptp-runtime, or set PTP_LIBRARY to the file")
        try:
            opened = ctypes.CDLL(candidates[0])
        except OSError as error:
            raise ImportError(f"{candidates[0]} cannot be loaded: {error}") from None
        for name, (result, arguments) in FUNCTIONS.items():
            try:
                function = getattr(opened, name)
            except AttributeError:
                raise ImportError(f"{candidates[0]} is older than this package: it has no {name}; "
                                  "fix: install both from the same version of ptp") from None
            function.restype = result
            function.argtypes = arguments
        opened.path = candidates[0]
        sys.meta_path.insert(0, _OtherTorch())
        _loaded = opened
    return _loaded


def program(name):
    """Returns the path of a program that came with libptp, or else of one on the PATH."""
    lib = Path(library().path)
    if lib.is_absolute():
        beside = lib.resolve().parent.parent / "bin" / name
        if beside.exists():
            return str(beside)
    found = shutil.which(name)
    if found is None:
        raise ImportError(f"{name} is not installed: neither beside {lib} nor on the PATH; "
                          "fix: install ptp-runtime")
    return found
