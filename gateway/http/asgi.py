"""`gateway.http.asgi:create`: what uvicorn calls, in this process or in one it reloads."""

from __future__ import annotations

from fastapi import FastAPI

from gateway.http.app import create_app
from runtime.home import broker_url
from runtime.logging import configure_logging
from runtime.settings import load_settings


def create() -> FastAPI:
    settings = load_settings()
    configure_logging(settings.logging)
    return create_app(settings, broker_url=broker_url(settings))
