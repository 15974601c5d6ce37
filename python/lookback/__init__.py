"""Sequence-to-sequence models with attention, trained on a CPU.

    import lookback
    model = lookback.train("pairs.tsv", out="fre")
    model = lookback.open("fre")
    model("bonjour")
    best = model.translate("bonjour", n_best=3, attention=True)
    best[0].text, best[0].probability, best[0].attention

A failed call raises lookback.Error. With numpy, attention is a numpy array; without, nested lists. docs/python.md has more.
"""
from .library import Error, Status, set_threads, version
from .model import File, Model
from .output import Output, Translation
from .training import Evaluation, Progress, Reproduction, reproduce, train

__all__ = ["Error", "Evaluation", "Model", "Output", "Progress", "Reproduction", "Status", "Translation", "open",
           "reproduce", "set_threads", "train"]
__version__ = version()


def open(file: File) -> Model:  # pylint: disable=redefined-builtin
    """Opens a trained model: the path of its file, or of the folder that contains it; or the bytes of its file. Raises Error:
    OPEN; FORMAT if the file holds anything else or is damaged; MEMORY."""
    return Model(file)
