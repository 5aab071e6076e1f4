"""Skipped tests are listed at the end of `cargo xtask test`; EINSICHT_REQUIRE turns them into failures.

The same rule as in crates/testkit/src/skip.rs: a skip names what is missing (shared, torch, rdkit, browser) in its
reason.
"""

import os

import pytest

NEEDS = ("shared", "torch", "rdkit", "browser")


def skips(reporter):
    """What is missing, which test, and the reason, of every skipped test."""
    for report in reporter.stats.get("skipped", []):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        need = next((need for need in NEEDS if need in reason), "other")
        yield need, report.nodeid, reason.removeprefix("Skipped: ")


def pytest_sessionfinish(session, exitstatus):
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if reporter is None:  # one of several processes; the one that started them reports
        return
    required = {word.strip() for word in os.environ.get("EINSICHT_REQUIRE", "").split(",")}
    log = os.environ.get("EINSICHT_SKIP_LOG")
    for need, test, reason in skips(reporter):
        line = f"{need}: {test}: {reason}\n"
        if log:
            with open(log, "a", encoding="utf-8") as file:
                file.write(line)
        if need in required:
            reporter.write_line(f"EINSICHT_REQUIRE forbids to skip {line}", red=True)
            session.exitstatus = 1


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    """A local Dask cluster of two processes."""
    distributed = pytest.importorskip("dask.distributed", reason="needs dask (pip install 'dask[distributed]')")
    folder = tmp_path_factory.mktemp("dask")
    cluster = distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, local_directory=str(folder)
    )
    with cluster, distributed.Client(cluster) as client:
        yield client
