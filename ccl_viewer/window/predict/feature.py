"""Predict mode: a question before each step forward."""

from __future__ import annotations

from ccl_viewer.window.predict.model import Predictor
from ccl_viewer.window.predict.widget import QtPredictor
from ccl_viewer.window.widgets.action_spec import ActionSpec, Conditions
from ccl_viewer.window.widgets.feature import Context, Feature, GuideSpec


def build(context: Context) -> Feature:
    """Return what predict mode adds to the window."""
    session = context.session
    predictor = Predictor(
        document=session.document,
        display=session.display,
        playback=session.playback,
        view=session.view,
        labels=session.labels,
        analysis=session.analysis,
        comparison=session.comparison,
    )
    session.quizzes.append(predictor)
    action = ActionSpec(
        "predict",
        "Pre&dict the next step",
        "Lessons",
        lambda: predictor.switch(not predictor.on),
        icon="help",
        enabled=Conditions(session.document, session.display).has_recording,
        checked=lambda: predictor.on,
        tip="Predict the next step whenever you step forward",
        group=3,
    )
    guide = GuideSpec(
        lambda: QtPredictor(predictor, session.display), lambda: predictor.may_ask, predictor
    )
    return Feature(models=(predictor,), actions=(action,), guides=(guide,))
