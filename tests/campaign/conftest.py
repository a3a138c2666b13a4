"""Provide a finished campaign, made once for each module and copied for each test."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import nescio

from .test_score import judged_qa


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> Path:
    campaign = judged_qa(tmp_path_factory.mktemp("first"))
    nescio.campaign.score(campaign, resamples=10)
    nescio.campaign.publish(campaign)
    assert nescio.campaign.status(campaign).after is None
    assert nescio.campaign.verify(campaign).sound
    return campaign


@pytest.fixture
def scored(first: Path, tmp_path: Path) -> Path:
    return shutil.copytree(first.parent, tmp_path, dirs_exist_ok=True) / first.name
