"""A bar that shows how far something is, in terminals and in notebooks; elsewhere it says nothing."""
import sys
import time


def _notebook():
    """What shows things in a notebook, or None."""
    shell = sys.modules.get("IPython") and sys.modules["IPython"].get_ipython()
    if shell is None or not hasattr(shell, "kernel"):
        return None
    from IPython.display import display
    return display


class Progress:
    """Called with a share of 0 to 1, and perhaps with what is being done.

    world.step(10, progress=True) makes one. Around an iterable, `for case in rivulet.Progress(cases): …`, it counts.
    """

    def __init__(self, over=None, title="", stream=None):
        self.over, self.title = over, title
        self._stream = sys.stderr if stream is None else stream
        self._display, self._handle = _notebook(), None
        self._began, self._shown, self._open = time.monotonic(), -1.0, False
        self._terminal = self._display is None and getattr(self._stream, "isatty", bool)()

    def __call__(self, share, what=None):
        if what:
            self.title = what
        now = time.monotonic()
        if share < 1 and now - self._shown < 0.1:
            return
        self._shown = now
        spent = now - self._began
        left = spent * (1 - share) / share if share > 0 else 0.0
        note = f"{100 * share:3.0f}%  " + (f"{spent:.1f} s" if share >= 1 else f"{left:.0f} s left")
        if self._display:
            self._show_html(share, note)
        elif self._terminal:
            done = round(30 * share)
            self._stream.write(f"\r{self.title} [{'#' * done}{'-' * (30 - done)}] {note}   ".lstrip(" "))
            self._open = share < 1
            self._stream.write("" if self._open else "\n")
            self._stream.flush()

    def _show_html(self, share, note):
        html = {"text/html": f"{self.title} <progress value={share:.3f} max=1></progress> {note}",
                "text/plain": f"{self.title} {note}"}
        if self._handle is None:
            self._handle = self._display(html, raw=True, display_id=True)
        else:
            self._handle.update(html, raw=True)

    def close(self):
        """Leaves the line of a bar that did not come to its end."""
        if self._open:
            self._stream.write("\n")
            self._open = False

    def __iter__(self):
        items = list(self.over)
        try:
            for i, item in enumerate(items):
                self(i / len(items))
                yield item
            self(1.0)
        finally:
            self.close()
