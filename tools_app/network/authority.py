"""HostAuthority: issues TLS certificates for the hosts that secrets are for. The door, which is the proxy of
workspaces, presents them to programs, so that it can insert secrets into requests to these hosts.

Each workspace has a certificate authority of its own. Its key is derived from a key that only doors have, so it is
never on a disk and stays the same after a restart. A name constraint limits the authority to the hosts that secrets are
for.
"""

import datetime as dt
import os
import ssl
import time
from collections.abc import Collection
from contextlib import suppress
from functools import cached_property
from typing import Final

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

VALID_DAYS: Final = 730  # of an authority; the door makes a new one at each start and for each change of the hosts
LEAF_DAYS: Final = 30
LEAF_KEPT: Final = 86_400.0  # seconds
SKEW: Final = dt.timedelta(days=1)
_ORDER: Final = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551  # of the group of P-256
_CURVE: Final = ec.SECP256R1()


class HostAuthority:
    """A certificate authority for `hosts` in one workspace. `secret` is a key that only doors (network proxies)
    have."""

    def __init__(self, secret: bytes, workspace_id: str, hosts: Collection[str]) -> None:
        self._workspace_id = workspace_id
        self._hosts = sorted(hosts)
        self._key = _derived_key(secret, workspace_id)
        self._leaf_key = ec.generate_private_key(_CURVE)
        self._contexts: dict[str, tuple[float, ssl.SSLContext]] = {}

    @property
    def pem(self) -> str:
        """The certificate that programs have to trust."""
        return self._certificate.public_bytes(serialization.Encoding.PEM).decode()

    def context_for(self, host: str) -> ssl.SSLContext:
        """Return the TLS context with which the door answers a program that connects to `host`. It only offers
        HTTP/1.1."""
        made, context = self._contexts.get(host, (-LEAF_KEPT, None))
        if context is None or time.monotonic() - made >= LEAF_KEPT:
            context = _server_context(self._leaf(host), self._leaf_key)
            self._contexts[host] = (time.monotonic(), context)
        return context

    @cached_property
    def _certificate(self) -> x509.Certificate:
        public = self._key.public_key()
        names = x509.NameConstraints([x509.DNSName(host) for host in self._hosts], excluded_subtrees=None)
        builder = (
            _builder(_name(f"Network door of {self._workspace_id}"), VALID_DAYS)
            .issuer_name(_name(f"Network door of {self._workspace_id}"))
            .public_key(public)
            .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
            .add_extension(_key_usage(signs_certificates=True), critical=True)
            .add_extension(names, critical=True)
            .add_extension(x509.SubjectKeyIdentifier.from_public_key(public), critical=False)
        )
        return builder.sign(self._key, hashes.SHA256())

    def _leaf(self, host: str) -> x509.Certificate:
        public, issuer = self._leaf_key.public_key(), self._key.public_key()
        builder = (
            _builder(_name(host[:64]), LEAF_DAYS)
            .issuer_name(self._certificate.subject)
            .public_key(public)
            .add_extension(x509.SubjectAlternativeName([x509.DNSName(host)]), critical=False)
            .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
            .add_extension(_key_usage(signs_certificates=False), critical=True)
            .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
            .add_extension(x509.SubjectKeyIdentifier.from_public_key(public), critical=False)
            .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(issuer), critical=False)
        )
        return builder.sign(self._key, hashes.SHA256())


def _derived_key(secret: bytes, workspace_id: str) -> ec.EllipticCurvePrivateKey:
    """Return the key of a workspace's authority. It is derived from 48 bytes, so that the remainder is uniform (FIPS
    186-5, A.2.1)."""
    derive = HKDF(hashes.SHA256(), length=48, salt=None, info=f"agentsite door authority {workspace_id}".encode())
    return ec.derive_private_key(int.from_bytes(derive.derive(secret)) % (_ORDER - 1) + 1, _CURVE)


def _name(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text[:64])])


def _builder(subject: x509.Name, days: int) -> x509.CertificateBuilder:
    now = dt.datetime.now(dt.UTC)
    dated = x509.CertificateBuilder().not_valid_before(now - SKEW).not_valid_after(now + dt.timedelta(days=days))
    return dated.subject_name(subject).serial_number(x509.random_serial_number())


def _key_usage(*, signs_certificates: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not signs_certificates, key_cert_sign=signs_certificates, crl_sign=signs_certificates,
        content_commitment=False, key_encipherment=False, data_encipherment=False, key_agreement=False,
        encipher_only=False, decipher_only=False,
    )  # fmt: skip


def _server_context(certificate: x509.Certificate, key: ec.EllipticCurvePrivateKey) -> ssl.SSLContext:
    """Return a TLS server context with the certificate. OpenSSL reads the certificate from a file that exists only in
    memory."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.set_alpn_protocols(["http/1.1"])
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    descriptor = os.memfd_create("certificate", os.MFD_CLOEXEC)
    try:
        with open(descriptor, "wb", closefd=False) as file:
            file.write(certificate.public_bytes(serialization.Encoding.PEM) + private)
        context.load_cert_chain(f"/proc/self/fd/{descriptor}")
    finally:
        with suppress(OSError):
            os.close(descriptor)
    return context
