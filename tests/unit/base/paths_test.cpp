#include "base/paths.hpp"

#include <doctest/doctest.h>

#include <filesystem>

namespace paths_test {

using namespace ptp;
namespace fs = std::filesystem;

TEST_CASE("paths: a relative path starts at the folder of the file in which it stands") {
    const SourceLocation place("configs/mnist/x.toml", 1, 1);
    CHECK(*path_from("data", place, "/home/me") == fs::path("configs/mnist/data"));
    CHECK(*path_from("../data", place, "/home/me") == fs::path("configs/data"));
    CHECK(*path_from("/data", place, "/home/me") == fs::path("/data"));
    CHECK(*path_from("data", SourceLocation("--set", 0, 0), "/home/me") == fs::path("data"));
}

TEST_CASE("paths: '~' is the home folder") {
    CHECK(*path_from("~", {}, "/home/me") == fs::path("/home/me/"));
    CHECK(*path_from("~/data", {}, "/home/me") == fs::path("/home/me/data"));
    CHECK_FALSE(path_from("~other/data", {}, "/home/me"));
    CHECK_FALSE(path_from("~/data", {}, ""));
}

TEST_CASE("paths: a file below the current directory is shown relative to it") {
    const fs::path here = fs::current_path();
    CHECK(shown_path(here / "a" / "x.toml") == "a/x.toml");
    CHECK(shown_path("a/../b.toml") == "b.toml");
    CHECK(shown_path("../b.toml") == "../b.toml");
    CHECK(shown_path("/nowhere/x.toml") == "/nowhere/x.toml");
}

}  // namespace paths_test
