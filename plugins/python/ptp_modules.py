"""The modules beside a script: packed into the plugin with it, and imported from there.

Each build has its own. `import helpers` in a script, or in what it imports so, never looks into
sys.modules, where another build or another plugin may have a module of that name.
"""

import ast
import builtins
import errno
import importlib.util
import os
import sys
import threading
import types


def text_of(file):
    """Throws ValueError for what is not a text, and OSError."""
    if os.path.isdir(file):
        raise OSError(errno.EISDIR, "is a folder, not a file", file)
    if os.path.exists(file) and not os.path.isfile(file):  # opening a pipe may block forever
        raise OSError(errno.EINVAL, "is not a regular file", file)
    try:
        with open(file, encoding="utf-8-sig") as opened:  # removes a byte order mark
            text = opened.read()
    except UnicodeDecodeError as error:
        raise ValueError(f"{file}: is not UTF-8: {error.reason} at byte {error.start}") from None
    if "\0" in text:
        raise ValueError(f"{file}: has a NUL byte")
    return text


def find(file, source):
    """What a script imports from its folder, anywhere in its code, and what that imports: name, file,
    whether it is a package, and source of each, by name."""
    folder = os.path.dirname(file)
    found = {}

    def add(dotted):
        names = dotted.split(".")
        for count in range(1, len(names) + 1):
            name = ".".join(names[:count])
            path = os.path.join(folder, *names[:count])
            package = os.path.join(path, "__init__.py")
            is_package = os.path.isfile(package)
            if name == "ptp" or not (is_package or os.path.isfile(path + ".py")):
                return
            if name not in found:
                own = package if is_package else path + ".py"
                text = text_of(own)
                found[name] = (name, own, is_package, text)
                look(text, own, name if is_package else name.rpartition(".")[0])

    def look(text, own, package):
        for node in ast.walk(ast.parse(text, own)):
            if isinstance(node, ast.Import):
                for alias in node.names:
                    add(alias.name)
            elif isinstance(node, ast.ImportFrom):
                base = node.module or ""
                if node.level > 0:
                    parents = package.split(".") if package else []
                    if node.level > len(parents):
                        continue  # Python rejects it
                    parents = parents[:len(parents) - node.level + 1]
                    base = ".".join([*parents, base] if base else parents)
                add(base)
                for alias in node.names:
                    add(f"{base}.{alias.name}")

    look(source, file, "")
    return [found[name] for name in sorted(found)]


class OwnModules:
    """Runs a script with the modules that find() has found."""

    def __init__(self, name, packed):
        self._name = name
        self._sources = {each[0]: each[1:] for each in packed}
        self._modules = {}
        self._script = None
        self._lock = threading.RLock()
        self._builtins = dict(vars(builtins), __import__=self._import)

    def run(self, source, file):
        """The module that the script makes."""
        code = compile(source, file, "exec")
        for name in [name for name in sys.modules if name.startswith(self._name + ".")]:
            del sys.modules[name]  # that of an earlier build
        self._script = self._new(self._name, file)
        sys.modules[self._name] = self._script
        exec(code, self._script.__dict__)
        return self._script

    def _new(self, name, file):
        module = types.ModuleType(name)
        module.__file__ = file
        if self._sources:
            module.__builtins__ = self._builtins
        return module

    def _import(self, name, globals=None, locals=None, fromlist=(), level=0):
        """What `import` calls in the script and in its modules."""
        own = name
        if level > 0:
            package = (globals or {}).get("__package__")
            if not package:
                raise ImportError("attempted relative import with no known parent package")
            own = importlib.util.resolve_name("." * level + name, package)
        top = own.partition(".")[0]
        if top not in self._sources:
            return builtins.__import__(name, globals, locals, fromlist, level)
        module = self._load(own)
        if not fromlist:
            return self._modules[top]
        for each in getattr(module, "__all__", ()) if "*" in fromlist else fromlist:
            if not hasattr(module, each) and f"{own}.{each}" in self._sources:
                self._load(f"{own}.{each}")
        return module

    def _load(self, name):
        with self._lock:
            parent, _, child = name.rpartition(".")
            if parent:
                self._load(parent)
            if name in self._modules:
                return self._modules[name]
            if name not in self._sources:
                raise ModuleNotFoundError(f"No module named '{name}'", name=name)
            file, is_package, source = self._sources[name]
            module = self._new(f"{self._name}.{name}", file)
            module.__package__ = name if is_package else parent
            if is_package:
                module.__path__ = [os.path.dirname(file)]
            self._modules[name] = module
            if sys.modules.get(self._name) is self._script:  # not replaced by a newer build
                sys.modules[module.__name__] = module  # where pickle and dataclasses look
            try:
                exec(compile(source, file, "exec"), module.__dict__)
            except BaseException:
                del self._modules[name]
                sys.modules.pop(module.__name__, None)
                raise
            if parent:
                setattr(self._modules[parent], child, module)
            return module
