"""Ask for a name with readline, and greet."""

import readline

readline.set_startup_hook(lambda: readline.insert_text("wor"))
readline.parse_and_bind("tab: complete")
readline.set_completer(lambda text, state: ["world", None][state] if "world".startswith(text) else None)
print("Hello,", input("Name: "))
