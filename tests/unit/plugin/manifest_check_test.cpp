#include "plugin/manifest_check.hpp"

#include "support.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <string>
#include <vector>

namespace manifest_check_test {

namespace {

using namespace ptp;
using namespace ptp::plugin;

struct Case {
    const char* expected;
    std::function<void(Manifest&, Component&)> spoil;
};

// Each case spoils a manifest that keeps all rules in one way, and has one problem.
void run(const std::vector<Case>& cases) {
    for (const Case& c : cases) {
        CAPTURE(c.expected);
        Manifest manifest = ptp::test::full_manifest();
        c.spoil(manifest, manifest.components[0]);
        CHECK(check(manifest) == std::vector<std::string>{c.expected});
    }
}

}  // namespace

TEST_CASE("manifest check: a manifest that keeps all rules has no problems") {
    CHECK(check(ptp::test::full_manifest()).empty());
}

TEST_CASE("manifest check: the plugin") {
    run({
        {"plugin 'Full': the name must be lower-case letters, digits and '_', a letter first",
         [](Manifest& m, Component&) { m.name = "Full"; }},
        {"plugin: version must be one line that is not empty",
         [](Manifest& m, Component&) { m.version = ""; }},
        {"plugin: license must be one line",
         [](Manifest& m, Component&) { m.license = "MIT\nGPL"; }},
        {"plugin: author must be one line", [](Manifest& m, Component&) { m.author = "a\tb"; }},
        {"plugin: homepage must be one line",
         [](Manifest& m, Component&) { m.homepage = "\x1b[31m"; }},
        {"plugin: has no components", [](Manifest& m, Component&) { m.components.clear(); }},
        {"plugin: has two components 'FullLoss'",
         [](Manifest& m, Component& c) { m.components.push_back(Component(c)); }},
        {"build: sanitizer = 'memory': must be none, address or thread",
         [](Manifest& m, Component&) { m.build.sanitizer = "memory"; }},
        {"build: standard_library is empty",
         [](Manifest& m, Component&) { m.build.standard_library = ""; }},
        {"build: compiler must be one line",
         [](Manifest& m, Component&) { m.build.compiler = "g++\n12"; }},
    });
}

TEST_CASE("manifest check: components and what their kind asks for") {
    run({
        {"component 'Full Loss': the name must be letters, digits and '_', a letter first",
         [](Manifest&, Component& c) { c.name = "Full Loss"; }},
        {"FullLoss: kind = 8: unknown kind",
         [](Manifest&, Component& c) { c.kind = static_cast<Kind>(8); }},
        {"FullLoss: summary must be one line", [](Manifest&, Component& c) { c.summary = "a\nb"; }},
        {"FullLoss: description has control characters",
         [](Manifest&, Component& c) { c.description = "\x1b[2J"; }},
        {"FullLoss: is a task, whose ports are all outputs",
         [](Manifest&, Component& c) { c.kind = Kind::kTask; }},
        {"FullLoss: is a statistic, which has no outputs",
         [](Manifest&, Component& c) { c.kind = Kind::kStatistic; }},
        {"FullLoss: is a loss, but none of its outputs is marked as one",
         [](Manifest&, Component& c) { c.ports[1].is_loss = false; }},
    });
}

TEST_CASE("manifest check: ports") {
    run({
        {"FullLoss: port 'Loss': the name must be lower-case letters, digits and '_', a letter "
         "first",
         [](Manifest&, Component& c) { c.ports[1].name = "Loss"; }},
        {"FullLoss: has two ports 'loss'",
         [](Manifest&, Component& c) { c.ports[0].name = "loss"; }},
        {"FullLoss: port 'words': element = 0: unknown element",
         [](Manifest&, Component& c) { c.ports[0].element = static_cast<Element>(0); }},
        {"FullLoss: port 'loss': only an input can be optional",
         [](Manifest&, Component& c) { c.ports[1].is_optional = true; }},
        {"FullLoss: port 'words': only an output can be a loss",
         [](Manifest&, Component& c) { c.ports[0].is_loss = true; }},
        {"FullLoss: port 'words': only an output of a component with an input can be reshaped",
         [](Manifest&, Component& c) { c.ports[0].is_reshaped = true; }},
        {"FullLoss: port 'loss': only an input can carry anything",
         [](Manifest&, Component& c) { c.ports[1].element = Element::kAny; }},
        {"FullLoss: port 'words': a port that carries anything has no shape",
         [](Manifest&, Component& c) { c.ports[0].element = Element::kAny; }},
        {"FullLoss: port 'words': streams_setting = 'cells': the component has no such list of "
         "strings",
         [](Manifest&, Component& c) { c.ports[0].streams_setting = "cells"; }},
        {"FullLoss: port 'words': help must be one line",
         [](Manifest&, Component& c) { c.ports[0].help = "a\nb"; }},
    });
}

TEST_CASE("manifest check: two ports may share a name if their conditions differ") {
    Manifest manifest = ptp::test::full_manifest();
    Component& component = manifest.components[0];
    component.ports.push_back(component.ports[0]);
    CHECK(check(manifest) == std::vector<std::string>{"FullLoss: has two ports 'words'"});
    component.ports[2].when = "!cells";
    CHECK(check(manifest).empty());
}

TEST_CASE("manifest check: globals and statistics") {
    run({
        {"FullLoss: global 'size': access = 6: unknown access",
         [](Manifest&, Component& c) {
             c.globals[0].access = static_cast<GlobalAccess>(6);
             c.globals[0].value = "";
         }},
        {"FullLoss: global 'size': only a global that is written has a value",
         [](Manifest&, Component& c) { c.globals[0].access = GlobalAccess::kRead; }},
        {"FullLoss: requirement \"length($extra) <= 3\": needs a relation and a message",
         [](Manifest&, Component& c) { c.requirements[0].message = ""; }},
        {"FullLoss: requirement \"length($extra) <= 3\": message must be one line",
         [](Manifest&, Component& c) { c.requirements[0].message = "a\nb"; }},
        {"FullLoss: only a task has a sample_count",
         [](Manifest&, Component& c) { c.sample_count = "10"; }},
        {"FullLoss: has two globals 'size'",
         [](Manifest&, Component& c) { c.globals.push_back(Global(c.globals[0])); }},
        {"FullLoss: statistic 'samples': aggregation = 9: unknown aggregation",
         [](Manifest&, Component& c) {
             c.statistics[0].aggregation = static_cast<Aggregation>(9);
         }},
        {"FullLoss: statistic 'mean': decimals = 18: must be in [0, 17]",
         [](Manifest&, Component& c) { c.statistics[1].decimals = 18; }},
        {"FullLoss: statistic 'mean': weight = 'batch': the component has no such statistic",
         [](Manifest&, Component& c) { c.statistics[1].weight = "batch"; }},
        {"FullLoss: statistic 'mean': its larger and its smaller values cannot both be the better "
         "ones",
         [](Manifest&, Component& c) { c.statistics[1].is_smaller_better = true; }},
        {"FullLoss: statistic 'mean': a sum has no weight",
         [](Manifest&, Component& c) { c.statistics[1].aggregation = Aggregation::kSum; }},
    });
}

TEST_CASE("manifest check: all problems are reported, not only the first") {
    Manifest manifest = ptp::test::full_manifest();
    manifest.version = "";
    manifest.components[0].summary = "a\nb";
    CHECK(check(manifest).size() == 2);
}

}  // namespace manifest_check_test
