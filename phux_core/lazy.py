"""Packages that import a module when one of its names is first used. Import-light, because the CLI imports it."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def importer(package: "dict[str, object]", modules: "Mapping[str, str]") -> "Callable[[str], object]":
    """Return the ``__getattr__`` of a package.

    Args:
        package: The package's ``globals()``.
        modules: The module of each name; if it has no such name, the name stands for the module itself.
    """

    def load(name: str) -> object:
        if name not in modules:
            raise AttributeError(f"module {package['__name__']!r} has no attribute {name!r}")
        import importlib

        module = importlib.import_module(modules[name])
        value: object = getattr(module, name, module)
        package[name] = value
        return value

    return load
