"""Programs are evaluated without a process of their own."""

from tests.support.evaluator import quick_evaluator as quick_evaluator
