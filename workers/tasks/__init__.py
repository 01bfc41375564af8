"""Thin tasks: load by id, call a pipeline, save. Every one is safe to run twice."""

from __future__ import annotations

from celery import Celery

from runtime.settings import Settings
from workers.tasks.documents import register_documents
from workers.tasks.periodic import register_periodic


def register(app: Celery, settings: Settings) -> None:
    """Add every task to the application."""
    register_documents(app)
    register_periodic(app, settings)
