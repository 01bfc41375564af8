"""The chart, rendered by Helm itself, is of Kubernetes' form, closed by default, names what there is."""

from __future__ import annotations

import importlib.util
import warnings
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from backends.jobs_celery import ROUTES
from runtime.settings import WorkerSettings
from tests.unit.deploy.manifests import (
    DEPLOY,
    PROJECT,
    SERVED,
    assert_is_a_command,
    queues_of,
    ran,
    secret_variables,
    secrets_made,
    settings_of,
)

CHART = DEPLOY / "helm" / "mithridate"
VALUES: dict[str, Any] = yaml.safe_load((CHART / "values.yaml").read_text("utf-8"))
NEWEST = "1.37"
OLDEST = "1.30"
"""What `kubeVersion` of the chart promises."""
UNKNOWN_TO_KUBERNETES = {"ScaledObject", "ServiceMonitor"}

SCALED = {"workers": {"documents": {"autoscaling": {"enabled": True}}}}
EVERYTHING: dict[str, Any] = {
    **SCALED,
    "image": {"digest": "sha256:" + "0" * 64, "pullSecrets": [{"name": "registry"}]},
    "data": {"existingClaim": "shared"},
    "gateway": {
        "readinessPath": "/readyz",
        "nodeSelector": {"disk": "ssd"},
        "tolerations": [{"key": "dedicated", "operator": "Exists"}],
        "affinity": {"nodeAffinity": {}},
    },
    "ingress": {
        "enabled": True,
        "className": "nginx",
        "host": "rag.example.org",
        "tlsSecretName": "rag-tls",
        "annotations": {"nginx.ingress.kubernetes.io/proxy-body-size": "20m"},
    },
    "serviceMonitor": {"enabled": True},
}
VARIANTS = {
    "as shipped": {},
    "everything": EVERYTHING,
    "no policies": {"networkPolicy": {"enabled": False}},
}
variants = pytest.mark.parametrize("values", VARIANTS.values(), ids=list(VARIANTS))

Manifest = dict[str, Any]


def rendered(values: Mapping[str, Any], *, release: str = "demo") -> list[Manifest]:
    if importlib.util.find_spec("helm_python") is None:
        pytest.skip("Helm's library has no wheel for this platform")
    import helm_python

    with helm_python.Chart.load(str(CHART)) as chart:
        files = chart.render(dict(values), name=release, namespace="prod")
    return [
        manifest
        for name, text in sorted(files.items())
        if name.endswith(".yaml")
        for manifest in yaml.safe_load_all(text)
        if manifest is not None
    ]


def validated(manifest: Manifest, version: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of its reading its own schemas
        import kubernetes_validate

        kubernetes_validate.validate(manifest, version, strict=True)


def of_kind(kind: str, manifests: list[Manifest]) -> list[Manifest]:
    return [manifest for manifest in manifests if manifest["kind"] == kind]


def pods(manifests: list[Manifest]) -> Iterator[tuple[Manifest, dict[str, Any]]]:
    """Yield each Deployment with its one container."""
    for deployment in of_kind("Deployment", manifests):
        (container,) = deployment["spec"]["template"]["spec"]["containers"]
        yield deployment, container


def component(deployment: Manifest) -> str:
    name: str = deployment["spec"]["template"]["metadata"]["labels"]["app.kubernetes.io/component"]
    return name


def environment_of(container: dict[str, Any], manifests: list[Manifest]) -> dict[str, str]:
    (settings,) = of_kind("ConfigMap", manifests)
    assert container["envFrom"] == [{"configMapRef": {"name": settings["metadata"]["name"]}}]
    own = {each["name"]: each["value"] for each in container.get("env", [])}
    return {**settings["data"], **own}


@variants
@pytest.mark.parametrize("version", [OLDEST, NEWEST])
def test_every_manifest_is_of_kubernetes_form(values: Mapping[str, Any], version: str) -> None:
    manifests = rendered(values)

    for manifest in manifests:
        if manifest["kind"] not in UNKNOWN_TO_KUBERNETES:
            validated(manifest, version)
    assert {"Deployment", "Service", "PodDisruptionBudget", "ConfigMap", "ServiceAccount"} <= {
        manifest["kind"] for manifest in manifests
    }


def test_a_field_that_kubernetes_does_not_know_would_be_found() -> None:
    (manifest, *_) = of_kind("Deployment", rendered({}))
    manifest["spec"]["template"]["spec"]["containers"][0]["readynessProbe"] = {}

    with pytest.raises(Exception, match="readynessProbe"):
        validated(manifest, NEWEST)


def test_helm_finds_nothing_wrong_with_the_chart() -> None:
    rendered({})
    import helm_python

    found = helm_python.lint(str(CHART))

    information = 1  # severities: 1 information, 2 warning, 3 error
    assert [each for each in found["messages"] if each["severity"] > information] == []
    assert found["errors"] == []


@pytest.mark.parametrize(
    "values",
    [
        {"gatway": {}},
        {"settings": {"mithridate_server__port": "1"}},
        {"settings": {"MITHRIDATE_SERVER__MAX_BODY_BYTES": 20_000_000}},
        {"image": {"digest": "sha256:12"}},
        {"ingress": {"enabled": True}},
        {"settings": {"MITHRIDATE_BLOBS__BACKEND": "files"}},
        {"workers": {"documents": {"queues": []}}},
        {"workers": {"documents": {"autoscaling": {"enabled": True, "targetSeconds": 0}}}},
        {"workers": {"documents": {"resources": {"limits": {"memory": "6 GB"}}}}},
        {"gateway": {"readinessPath": "/v1/questions"}},
    ],
    ids=lambda values: "-".join([*values, *next(iter(values.values()))]),
)
def test_values_that_cannot_be_meant_are_refused(values: Mapping[str, Any]) -> None:
    rendered({})
    import helm_python

    with pytest.raises(helm_python.HelmError):
        rendered(values)


@pytest.mark.parametrize("variable", sorted(secret_variables()))
def test_a_secret_among_the_settings_is_refused(variable: str) -> None:
    rendered({})
    import helm_python

    with pytest.raises(helm_python.HelmValuesError):
        rendered({"settings": {variable: "hunter2"}})


@variants
def test_every_process_reads_its_settings(
    values: Mapping[str, Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    made = secrets_made(tmp_path / "secrets")
    manifests = rendered(values)

    for deployment, container in pods(manifests):
        environment = environment_of(container, manifests)
        folder = environment["MITHRIDATE_SECRETS_DIR"]

        settings = settings_of(monkeypatch, environment, secrets=made)

        assert not settings.local_admin_key
        assert settings.vectors.backend == "weaviate"
        mounts = {mount["mountPath"] for mount in container["volumeMounts"]}
        assert str(settings.home.parent) in mounts
        assert folder in mounts
        assert settings.audit.signing_key_path is not None
        assert str(settings.audit.signing_key_path.parent) == folder
        grace = deployment["spec"]["template"]["spec"]["terminationGracePeriodSeconds"]
        if component(deployment) != "gateway":
            assert grace > WorkerSettings().time_limit_seconds


@variants
def test_every_process_is_a_command_and_every_queue_is_served(values: Mapping[str, Any]) -> None:
    manifests = rendered(values)
    served: set[str] = set()
    for deployment, container in pods(manifests):
        assert_is_a_command(container["args"])
        if component(deployment) != "gateway":
            served |= queues_of(environment_of(container, manifests))

    assert served == set(ROUTES.values())


@variants
def test_what_is_probed_and_reached_exists(values: Mapping[str, Any]) -> None:
    manifests = rendered(values)
    (gateway,) = [each for each in pods(manifests) if component(each[0]) == "gateway"]
    (service,) = of_kind("Service", manifests)
    container = gateway[1]
    probes = [container[name] for name in ("startupProbe", "livenessProbe", "readinessProbe")]

    assert {probe["httpGet"]["path"] for probe in probes} <= SERVED
    (port,) = container["ports"]
    assert (
        str(port["containerPort"])
        == environment_of(container, manifests)["MITHRIDATE_SERVER__PORT"]
    )
    assert {probe["httpGet"]["port"] for probe in probes} == {port["name"]}
    assert service["spec"]["ports"][0]["targetPort"] == port["name"]
    for monitor in of_kind("ServiceMonitor", manifests):
        for endpoint in monitor["spec"]["endpoints"]:
            assert endpoint["path"] in SERVED
            assert endpoint["port"] == service["spec"]["ports"][0]["name"]


def test_only_the_api_is_reached_from_outside_and_only_by_tls() -> None:
    (ingress,) = of_kind("Ingress", rendered(EVERYTHING))

    (rule,) = ingress["spec"]["rules"]
    assert [path["path"] for path in rule["http"]["paths"]] == ["/v1/"]
    assert ingress["spec"]["tls"] == [{"hosts": [rule["host"]], "secretName": "rag-tls"}]


@variants
def test_selectors_name_pods_that_there_are(values: Mapping[str, Any]) -> None:
    manifests = rendered(values)
    labels = [
        deployment["spec"]["template"]["metadata"]["labels"] for deployment, _ in pods(manifests)
    ]
    selectors = [
        *(each["spec"]["selector"]["matchLabels"] for each in of_kind("Deployment", manifests)),
        *(
            each["spec"]["selector"]["matchLabels"]
            for each in of_kind("PodDisruptionBudget", manifests)
        ),
        *(
            each["spec"]["podSelector"]["matchLabels"]
            for each in of_kind("NetworkPolicy", manifests)
        ),
        *(each["spec"]["selector"] for each in of_kind("Service", manifests)),
    ]

    assert len(of_kind("PodDisruptionBudget", manifests)) == len(labels)
    for selector in selectors:
        assert any(selector.items() <= each.items() for each in labels), selector


@variants
def test_a_pod_is_nobody_changes_nothing_and_has_limits(values: Mapping[str, Any]) -> None:
    for deployment, container in pods(rendered(values)):
        pod = deployment["spec"]["template"]["spec"]
        assert pod["securityContext"]["runAsNonRoot"] is True
        assert pod["securityContext"]["runAsUser"] >= 10_000
        assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
        assert pod["automountServiceAccountToken"] is False
        assert container["securityContext"] == {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        }
        assert {"cpu", "memory"} <= set(container["resources"]["limits"])
        assert not {"hostNetwork", "hostPID", "hostIPC"} & set(pod)
        assert not any("hostPath" in volume for volume in pod["volumes"])


def test_no_secret_stands_in_a_manifest() -> None:
    manifests = rendered(EVERYTHING)

    assert not of_kind("Secret", manifests)
    for deployment, container in pods(manifests):
        assert not set(secret_variables()) & set(environment_of(container, manifests))
        volumes = deployment["spec"]["template"]["spec"]["volumes"]
        secret = next(each for each in volumes if each["name"] == "secrets")
        assert secret["secret"]["secretName"] == VALUES["secretName"]


def test_pods_reach_the_services_alone_and_what_delivers_the_web_but_no_private_address() -> None:
    policies = {
        each["metadata"]["name"]: each["spec"] for each in of_kind("NetworkPolicy", rendered({}))
    }

    closed = policies["demo-mithridate"]
    assert set(closed["policyTypes"]) == {"Ingress", "Egress"}
    assert "ingress" not in closed
    assert all("ipBlock" not in peer for rule in closed["egress"] for peer in rule["to"])
    (out,) = policies["demo-mithridate-control"]["egress"]
    assert out["ports"] == [{"protocol": "TCP", "port": 443}]
    assert {"10.0.0.0/8", "169.254.0.0/16"} <= set(out["to"][0]["ipBlock"]["except"])
    assert "demo-mithridate-documents" not in policies


def test_scaling_follows_the_age_of_the_oldest_document_and_owns_the_number_of_pods() -> None:
    manifests = rendered(SCALED)

    (scaled,) = of_kind("ScaledObject", manifests)
    target = scaled["spec"]["scaleTargetRef"]["name"]
    (deployment,) = [
        each for each in of_kind("Deployment", manifests) if each["metadata"]["name"] == target
    ]
    (trigger,) = scaled["spec"]["triggers"]
    assert "replicas" not in deployment["spec"]
    assert "mithridate_document_waiting_seconds" in trigger["metadata"]["query"]
    assert trigger["metadata"]["threshold"] == "60"
    assert not of_kind("ScaledObject", rendered({}))


def test_a_change_of_settings_is_a_new_pod() -> None:
    def stamp(values: Mapping[str, Any]) -> set[str]:
        return {
            deployment["spec"]["template"]["metadata"]["annotations"]["checksum/settings"]
            for deployment, _ in pods(rendered(values))
        }

    assert stamp({}) == stamp({})
    assert not stamp({}) & stamp({"settings": {"MITHRIDATE_LOGGING__LEVEL": "debug"}})


def test_a_workers_probe_is_the_age_of_its_sign(tmp_path: Path) -> None:
    sign = tmp_path / "worker.alive"
    for deployment, container in pods(rendered({})):
        if component(deployment) == "gateway":
            continue
        path = next(
            each["value"]
            for each in container["env"]
            if each["name"] == "MITHRIDATE_WORKER__ALIVE_PATH"
        )
        command = container["livenessProbe"]["exec"]["command"]
        assert container["startupProbe"]["exec"]["command"] == command
        command = [part.replace(path, str(sign)) for part in command]
        sign.unlink(missing_ok=True)

        assert ran(command).returncode != 0
        sign.touch()
        assert ran(command).returncode == 0
        ran(["touch", "-d", "10 minutes ago", str(sign)])
        assert ran(command).returncode != 0


def test_the_chart_is_of_the_version_that_it_ships() -> None:
    chart = yaml.safe_load((CHART / "Chart.yaml").read_text("utf-8"))

    assert chart["appVersion"] == PROJECT["project"]["version"]
    assert chart["kubeVersion"] == f">={OLDEST}.0-0"
