#include "plugin/fingerprint.hpp"

#include <doctest/doctest.h>

namespace fingerprint_test {

using namespace ptp;
using namespace ptp::plugin;

namespace {

Build host() {
    return {.libtorch = "1.13.1 (libtorch_cpu.so.1.13)",
            .standard_library = "libstdc++ cxx11",
            .sanitizer = "none",
            .compiler = "g++ 12"};
}

}  // namespace

TEST_CASE("fingerprint: a plugin built like the host is taken, whatever the compiler") {
    Build plugin = host();
    plugin.compiler = "clang 14";
    CHECK(refuse_build(plugin, host()) == std::nullopt);
    CHECK(refuse_build(host_build(), host_build()) == std::nullopt);
}

TEST_CASE("fingerprint: another libtorch, another standard library") {
    Build plugin = host();
    plugin.libtorch = "2.6.0 (libtorch_cpu.so)";
    CHECK(refuse_build(plugin, host())->text() ==
          "built for libtorch 2.6.0 (libtorch_cpu.so), this host has 1.13.1 "
          "(libtorch_cpu.so.1.13)\n    fix: rebuild the plugin against this host's libtorch");
    plugin = host();
    plugin.standard_library = "libstdc++ pre-cxx11";
    CHECK(
        refuse_build(plugin, host())->text() ==
        "built for standard library libstdc++ pre-cxx11, this host has libstdc++ cxx11\n    fix: rebuild the plugin with this host's compiler settings");
}

TEST_CASE("fingerprint: a plugin without libtorch goes with any") {
    Build plugin = host();
    plugin.libtorch = "";
    plugin.standard_library = "libc++";
    CHECK(refuse_build(plugin, host()) == std::nullopt);
}

TEST_CASE("fingerprint: a sanitizer is in the whole process or nowhere") {
    Build plugin = host();
    plugin.libtorch = "";
    plugin.sanitizer = "address";
    CHECK(refuse_build(plugin, host())->text() ==
          "built with sanitizer address, this host with none\n    fix: build both with the same");
    Build sanitized = host();
    sanitized.sanitizer = "address";
    CHECK(refuse_build(plugin, sanitized) == std::nullopt);
    plugin.sanitizer = "none";
    CHECK(refuse_build(plugin, sanitized) == std::nullopt);
    plugin.sanitizer = "thread";
    CHECK(refuse_build(plugin, sanitized)->text() ==
          "built with sanitizer thread, this host with address\n    fix: build both with the same");
}

TEST_CASE("fingerprint: the ABI's major version must be equal, the minor not higher") {
    CHECK(refuse_abi(1, 0) == std::nullopt);
    CHECK(refuse_abi(1, 6) == std::nullopt);
    CHECK(refuse_abi(0, 0)->text() ==
          "built for ABI 0.0, this host has 1.6\n    fix: rebuild the plugin with this host's SDK");
    CHECK(refuse_abi(2, 0)->text() ==
          "built for ABI 2.0, this host has 1.6\n    fix: rebuild the plugin with this host's SDK");
    CHECK(
        refuse_abi(1, 7)->text() ==
        "built for ABI 1.7, this host has 1.6\n    fix: use a newer host, or rebuild the plugin with this "
        "host's SDK");
}

}  // namespace fingerprint_test
