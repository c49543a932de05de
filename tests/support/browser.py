"""What a person does with the page: keys, dropped files; and what its parts must be."""

from __future__ import annotations

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Locator, Page, expect

MAX_TABS = 80

_DROP = """(files) => {
  const transfer = new DataTransfer();
  for (const [name, content] of Object.entries(files)) {
    transfer.items.add(new File([content], name, {type: "text/csv"}));
  }
  return transfer;
}"""


def drop_file(page: Page, name: str, content: str) -> None:
    """Drag a file over the page and drop it into its zone."""
    drop_files(page, {name: content})


def drop_files(page: Page, files: dict[str, str]) -> None:
    """Drag files, by name, over the page and drop them into its zone."""
    transfer = page.evaluate_handle(_DROP, files)
    zone = page.locator(".zone")
    for event in ("dragover", "drop"):
        zone.dispatch_event(event, {"dataTransfer": transfer})


def tab_to(page: Page, target: Locator) -> None:
    """Press Tab until ``target`` has the focus, which must be visible."""
    expect(target).to_have_count(1)
    for _ in range(MAX_TABS):
        page.keyboard.press("Tab")
        if target.evaluate("element => element === document.activeElement"):
            assert has_visible_focus(page), f"no visible focus on {target}"
            return
    raise AssertionError(f"{MAX_TABS} times Tab do not reach {target}")


def has_visible_focus(page: Page) -> bool:
    """True if what has the focus is outlined and can be seen."""
    visible: bool = page.evaluate(
        """() => {
          const element = document.activeElement;
          const style = getComputedStyle(element);
          const box = element.getBoundingClientRect();
          const isOutlined = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0;
          return isOutlined && box.width > 0 && box.height > 0;
        }"""
    )
    return visible


def assert_accessible(page: Page, *, contrast: bool = True) -> None:
    """Axe must find nothing; ``contrast``, of colours, takes most of its time."""
    rules = {"color-contrast": {"enabled": contrast}}
    results = Axe().run(page, options={"rules": rules, "resultTypes": ["violations"]})
    assert results.violations_count == 0, results.generate_report()


def assert_fits(page: Page) -> None:
    """The page must not scroll sideways."""
    wide, shown = page.evaluate(
        "[document.documentElement.scrollWidth, document.documentElement.clientWidth]"
    )
    assert wide <= shown, f"{page.url} is {wide} wide in a window of {shown}"
