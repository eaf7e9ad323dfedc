"""Count presses of a button with Textual."""

from textual.app import App, ComposeResult
from textual.widgets import Button, Label


class Counter(App[None]):
    count = 0

    def compose(self) -> ComposeResult:
        yield Label("Pressed 0 times")
        yield Button("Add", id="add")
        yield Button("Reset", id="reset")

    def on_button_pressed(self, event: Button.Pressed) -> None:
        self.count = 0 if event.button.id == "reset" else self.count + 1
        self.query_one(Label).update(f"Pressed {self.count} times")


Counter().run()
