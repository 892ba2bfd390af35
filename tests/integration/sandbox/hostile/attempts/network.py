"""Attempts to connect from a container to anything outside of it, including listeners that the test starts on its
host."""

from tests.integration.sandbox.hostile.case import Category, Probe

GONE = "ENETUNREACH|EHOSTUNREACH|EADDRNOTAVAIL|EPERM|EACCES|ENETDOWN|EINVAL"
REFUSED_HERE = "ECONNREFUSED|" + GONE
SERVICES = {
    "postgres": 5432,
    "valkey": 6379,
    "docker": 2375,
    "docker_tls": 2376,
    "web": 8000,
    "ssh": 22,
    "kubelet": 10250,
    "etcd": 2379,
    "metrics": 9090,
}
ADDRESSES = {
    "metadata": "169.254.169.254",
    "metadata_ecs": "169.254.170.2",
    "metadata_alibaba": "100.100.100.200",
    "bridge": "172.17.0.1",
    "bridge_compose": "172.18.0.1",
    "gateway_10": "10.0.0.1",
    "gateway_192": "192.168.0.1",
    "gateway_virtual": "192.168.122.1",
    "slirp": "10.0.2.2",
    "documentation": "192.0.2.1",
    "resolver": "8.8.8.8",
    "broadcast": "255.255.255.255",
    "multicast": "224.0.0.1",
}
ADDRESSES_6 = {
    "metadata_6": "fd00:ec2::254",
    "link_local_6": "fe80::1%lo",
    "all_nodes_6": "ff02::1%lo",
    "unique_local_6": "fd00::1",
    "documentation_6": "2001:db8::1",
    "mapped_6": "::ffff:169.254.169.254",
    "nat64_6": "64:ff9b::a9fe:a9fe",
}


def tcp(id: str, tries: str, host: str, port: str, *, expect: str, family: str = "AF_INET") -> Probe:
    return Probe(id, tries, f"connected({host}, {port}, socket.{family})", expect, as_root=expect)


CATEGORY = Category(
    "network",
    "Network",
    "a network namespace with nothing but its own loopback; abstract sockets belong to it; AF_VSOCK is refused",
    probes=(
        tcp(
            "host_loopback",
            "Connect to a canary on the host's 127.0.0.1.",
            "'127.0.0.1'",
            "F['loopback_port']",
            expect=REFUSED_HERE,
        ),
        tcp(
            "host_any",
            "Connect to a canary that the host has bound to every address.",
            "'127.0.0.1'",
            "F['any_port']",
            expect=REFUSED_HERE,
        ),
        tcp("host_any_zero", "The same by way of 0.0.0.0.", "'0.0.0.0'", "F['any_port']", expect=REFUSED_HERE),
        tcp(
            "host_other_loopback", "The same by way of 127.9.9.9.", "'127.9.9.9'", "F['any_port']", expect=REFUSED_HERE
        ),
        tcp(
            "host_loopback_6",
            "Connect to a canary on the host's ::1.",
            "'::1'",
            "F['six_port']",
            expect=REFUSED_HERE,
            family="AF_INET6",
        ),
        tcp("host_address", "Connect to the host's own address.", "F['host_address']", "F['any_port']", expect=GONE),
        tcp("host_name", "Connect to the host by its names.", "'localhost'", "F['any_port']", expect=REFUSED_HERE),
        Probe(
            "host_udp",
            "Send a datagram to a canary on the host.",
            "connected('127.0.0.1', F['udp_port'], socket.AF_INET, socket.SOCK_DGRAM)",
            "connected|" + REFUSED_HERE,
        ),
        Probe(
            "host_abstract",
            "Connect to an abstract unix socket of the host.",
            "s = socket.socket(socket.AF_UNIX); s.connect(b'\\0' + F['abstract'].encode())",
            "ECONNREFUSED|EACCES|EPERM",
            as_root="ECONNREFUSED|EACCES|EPERM",
        ),
        Probe(
            "abstract_squat",
            "Bind the name of an abstract socket of the host.",
            "s = socket.socket(socket.AF_UNIX); s.bind(b'\\0' + F['abstract'].encode()); 'mine only'",
            "mine only",
        ),
        Probe(
            "host_unix",
            "Connect to a unix socket of the host by its path.",
            "s = socket.socket(socket.AF_UNIX); s.connect(F['unix_path'])",
            "ENOENT|EACCES",
            as_root="ENOENT|EACCES",
        ),
        Probe(
            "unix_sockets",
            "List the unix sockets of the host.",
            "F['unix_path'] in open('/proc/net/unix').read() or F['abstract'] in open('/proc/net/unix').read()",
            "False",
            as_root="False",
        ),
        Probe(
            "tcp_table",
            "List the connections of the host.",
            "len(open('/proc/net/tcp').readlines()) < 20 and f\"{F['any_port']:04X}\" not in open('/proc/net/tcp').read()",
            "True",
            as_root="True",
        ),
        *(
            tcp(
                f"service_{name}",
                f"Connect to {name} at its usual port.",
                "'127.0.0.1'",
                str(port),
                expect=REFUSED_HERE,
            )
            for name, port in SERVICES.items()
        ),
        *(
            tcp(f"to_{name}", f"Connect to {address} ({name.replace('_', ' ')}).", repr(address), "80", expect=GONE)
            for name, address in ADDRESSES.items()
        ),
        *(
            tcp(
                f"to_{name}",
                f"Connect to {address} ({name.replace('_', ' ')}).",
                repr(address),
                "80",
                expect=REFUSED_HERE,
                family="AF_INET6",
            )
            for name, address in ADDRESSES_6.items()
        ),
        Probe(
            "neighbour",
            "Find any address but its own loopback.",
            "sorted(os.listdir('/sys/class/net'))",
            r"\['lo'\]",
            as_root=r"\['lo'\]",
        ),
        Probe("routes", "Find a route.", "len(open('/proc/net/route').readlines())", "1", as_root="1"),
        Probe(
            "arp",
            "Find a neighbour by its hardware address.",
            "len(open('/proc/net/arp').readlines())",
            "1",
            as_root="1",
        ),
        Probe(
            "dns", "Ask for a name.", "socket.getaddrinfo('example.invalid', 80)", "EAI.*|gaierror|E[A-Z]+|.*[Nn]ame.*"
        ),
        Probe(
            "dns_udp",
            "Ask a resolver directly.",
            "connected('8.8.8.8', 53, socket.AF_INET, socket.SOCK_DGRAM)",
            GONE,
            as_root=GONE,
        ),
        Probe(
            "dns_engine",
            "Ask the engine's own resolver.",
            "connected('127.0.0.11', 53)",
            REFUSED_HERE,
            as_root=REFUSED_HERE,
        ),
        Probe(
            "ping",
            "Send an echo request.",
            "s = socket.socket(2, 2, 1); s.sendto(bytes([8, 0, 0, 0, 0, 0, 0, 0]), ('192.0.2.1', 0))",
            GONE + "|EPROTONOSUPPORT",
            as_root=GONE + "|EPROTONOSUPPORT",
        ),
        Probe(
            "add_address",
            "Give the loopback another address.",
            "os.system('ip addr add 10.0.0.2/24 dev lo >/dev/null 2>&1') != 0",
            "True",
            as_root="True",
        ),
        Probe(
            "tun",
            "Open a tunnel.",
            "opened('/dev/net/tun', os.O_RDWR)",
            "ENOENT|EPERM|EACCES",
            as_root="ENOENT|EPERM|EACCES",
        ),
        Probe(
            "netlink_route",
            "Add a route by netlink.",
            """
            s = socket.socket(16, 3, 0)
            s.send((28).to_bytes(4, "little") + (24).to_bytes(2, "little") + (0x605).to_bytes(2, "little") + bytes(8) + bytes([2, 0, 0, 0, 254, 4, 0, 1]) + bytes(4))
            s.settimeout(1); -int.from_bytes(s.recv(99)[16:20], "little", signed=True) == errno.EPERM
            """,
            "True|E[A-Z]+",
            as_root="True|E[A-Z]+",
        ),
        *(
            Probe(
                f"vsock_{cid}",
                f"Connect to the hypervisor's side by AF_VSOCK (address {cid}).",
                f"s = socket.socket(40, 1); s.settimeout(1); s.connect(({cid}, 1024))",
                "EPERM|EAFNOSUPPORT|EACCES",
            )
            for cid in (0, 1, 2)
        ),
        Probe(
            "http_program",
            "Fetch the metadata with curl.",
            "curl -s -m 2 -o /dev/null http://169.254.169.254/latest/meta-data/; echo $?",
            "7|28|6",
            "bash",
            as_root="7|28|6",
        ),
        Probe(
            "package_index",
            "Install a package.",
            "timeout 5 pip install --no-input --retries 0 --timeout 1 --break-system-packages nothing-of-this-name >/dev/null 2>&1; echo $?",
            "1|124|2",
            "bash",
        ),
    ),
)
