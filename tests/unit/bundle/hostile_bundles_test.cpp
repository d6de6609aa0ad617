// Bundles that are wrong on purpose: none is accepted, none ends the program otherwise than with an
// error, and nothing is written beside the folder for their files.

#include "support.hpp"

#include "base/sha256.hpp"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

namespace hostile_bundles_test {

using namespace ptp::test;

namespace {

using Entries = std::vector<TarEntry>;

struct Hostile {
    std::string name;
    std::string bytes;
    std::string message;  // all of it, or its beginning
};

std::string changed(const std::function<void(Entries&)>& change) {
    Entries entries = small_entries();
    change(entries);
    return tar_of(entries);
}

// The bundle with another text in place of one in its manifest.
std::string described(const std::string& from, const std::string& to) {
    return changed([&](Entries& entries) {
        std::string& text = entries.front().content;
        const std::size_t at = text.find(from);
        REQUIRE(at != std::string::npos);
        text.replace(at, from.size(), to);
    });
}

// The bundle with this number of parents, all the same model, whose name has this length.
std::string with_parents(std::size_t count, std::size_t length) {
    const std::string hash(64, '1');
    std::string parents = "[[ancestors]]\nweights_sha256 = \"" + hash + "\"\nname = \"" +
                          std::string(length, 'x') + "\"\n\n[lineage]\nparents = [";
    for (std::size_t i = 0; i < count; ++i) {
        parents += "{weights_sha256 = \"" + hash + "\"},";
    }
    return described("[lineage]", parents + "]");
}

// The bundle with one more file, which its manifest declares.
std::string with_file(const std::string& path, const std::string& content = "x") {
    return changed([&](Entries& entries) {
        const std::string table =
            fmt::format("\n[[files]]\npath = \"{}\"\nsha256 = \"{}\"\nsize = {}\n", path,
                        ptp::sha256(content), content.size());
        entries.front().content += table;
        entries.push_back({path, content});
    });
}

// The bundle with a build of its plugin, and one more file, which its manifest declares, too.
std::string with_build(const std::string& path) {
    return changed([&](Entries& entries) {
        for (const std::string& file : {std::string("plugins/vision_models.so"), path}) {
            entries.front().content += fmt::format(
                "\n[[files]]\npath = \"{}\"\nsha256 = \"{}\"\nsize = 1\n", file, ptp::sha256("x"));
            entries.push_back({file, "x"});
        }
    });
}

// The bundle with this experiment, which its manifest declares.
std::string with_experiment(const std::string& text) {
    return changed([&](Entries& entries) {
        const auto entry = std::ranges::find(entries, "experiment.toml", &TarEntry::path);
        const auto declared = [](const std::string& content) {
            return fmt::format("path = \"experiment.toml\"\nsha256 = \"{}\"\nsize = {}\n",
                               ptp::sha256(content), content.size());
        };
        std::string& manifest = entries.front().content;
        const std::string before = declared(entry->content);
        const std::size_t at = manifest.find(before);
        REQUIRE(at != std::string::npos);
        manifest.replace(at, before.size(), declared(text));
        entry->content = text;
    });
}

// The bundle with one more file, which its manifest does not declare.
std::string with_entry(const TarEntry& entry) {
    return changed([&](Entries& entries) { entries.push_back(entry); });
}

// The bundle with samples, and with this text as their table.
std::string with_samples(const std::string& table) {
    return changed([&](Entries& entries) {
        const std::string text =
            fmt::format("\n[[files]]\npath = \"samples.safetensors\"\nsha256 = \"{}\"\nsize = 1\n",
                        ptp::sha256("x"));
        entries.front().content += text + table;
        entries.push_back({"samples.safetensors", "x"});
    });
}

std::vector<Hostile> archives() {
    const std::string good = small_bundle();
    const std::string damaged = "T/x.ptpm: is not a bundle, or is damaged: ";
    const std::string form = damaged + "has a header of another form than ptprun writes, at byte ";
    return {
        {"nothing", "", damaged + "is cut off"},
        {"a text", "a bundle", damaged + "is cut off"},
        {"a long text", std::string(2000, 'x'), form + "0"},
        {"zeros alone", std::string(1024, '\0'),
         "T/x.ptpm: is not a bundle: manifest.toml is not its first file"},
        {"zip", "PK\x03\x04" + std::string(2000, 'x'), form + "0"},
        {"a pickle", "\x80\x02" + std::string(2000, '.'), form + "0"},
        {"bytes after its end", good + "x", damaged + "has bytes after the end of its archive"},
        {"an archive after its end", good + good,
         damaged + "has bytes after the end of its archive"},
        {"a manifest that is not first",
         changed([](Entries& entries) { std::swap(entries[0], entries[1]); }),
         "T/x.ptpm: is not a bundle: manifest.toml is not its first file"},
        {"two manifests", with_entry(small_entries().front()),
         "T/x.ptpm: has 7 files, and its manifest lists 6"},
        {"a file that is not declared", with_entry({"evil", "x"}),
         "T/x.ptpm: has 7 files, and its manifest lists 6"},
        {"a file twice", with_entry(small_entries()[1]),
         "T/x.ptpm: has 7 files, and its manifest lists 6"},
        {"a file that is missing", changed([](Entries& entries) { entries.pop_back(); }),
         "T/x.ptpm: has 5 files, and its manifest lists 6"},
        {"files in another order",
         changed([](Entries& entries) { std::swap(entries[1], entries[2]); }),
         "T/x.ptpm: 'checkpoints/best/SHA256SUMS' is not where manifest.toml declares it: it was "
         "changed"},
        {"a path out of the folder, not declared", with_entry({"../evil", "x"}), "T/x.ptpm: has 7"},
        {"a link in place of a build", with_entry({"plugins/vision_models.so", "", '2', "/x"}),
         form},
        {"a symbolic link", with_entry({"link", "", '2', "/etc/passwd"}), form},
        {"a hard link", with_entry({"link", "", '1', "experiment.toml"}), form},
        {"a folder", with_entry({"folder/", "", '5'}), form},
        {"a device", with_entry({"device", "", '3'}), form},
        {"a named pipe", with_entry({"pipe", "", '6'}), form},
        {"a sparse file", with_entry({"sparse", "x", 'S'}), form},
        {"a pax header", with_entry({"pax", "20 path=../../evil\n", 'x'}), form},
        {"a long name of GNU", with_entry({"././@LongLink", "evil", 'L'}), form},
        {"a size of 8 GiB", with_entry({"big", "x", '0', "", "77777777777"}),
         damaged + "is cut off"},
        {"a size in base 256",
         with_entry({"big", "x", '0', "", std::string("\x80\0\0\0\0\0\0\0\x7f\xff\xff\xff", 12)}),
         form},
        {"a negative size", with_entry({"big", "x", '0', "", "-0000000001"}), form},
        {"a size that is not a number", with_entry({"big", "x", '0', "", "nan        "}), form},
        {"a size without leading zeros", with_entry({"big", "x", '0', "", "          1"}), form},
        {"a name without an end", with_entry({std::string(100, 'a'), "x"}), form},
        {"a name with a terminal's command", with_entry({"\x1b[2Jevil", "x"}), "T/x.ptpm: has 7"},
        {"no name", with_entry({"", "x"}), form},
    };
}

std::vector<Hostile> manifests() {
    const std::string at = "T/x.ptpm/manifest.toml";
    return {
        {"a newer format", described("format = 1", "format = 3"),
         at + ": is of format 3, this ptp reads 2\n    fix: use a newer ptp"},
        {"a format that is not a number", described("format = 1", "format = nan"), at},
        {"another kind", described("kind = \"model\"", "kind = \"plugin\""), at},
        {"a manifest that is not TOML", described("format = 1", "format = ["), at},
        {"an unknown key", described("format = 1", "format = 1\ncode = \"x\""), at},
        {"a size that is nan", described("size = 11", "size = nan"), at},
        {"a size below 0", described("size = 11", "size = -11"), at},
        {"a size of 2^63 - 1", described("size = 11", "size = 9223372036854775807"), at},
        {"a size that is infinite", described("size = 11", "size = inf"), at},
        {"a larger size", described("size = 11", "size = 12"),
         "T/x.ptpm: 'checkpoints/best/checkpoint.toml' is not where manifest.toml declares it: it "
         "was changed"},
        {"a wrong hash of the weights",
         described(ptp::sha256("the weights"), ptp::sha256("other weights")),
         "T/x.ptpm: 'checkpoints/best/weights.safetensors' is not what manifest.toml declares: it "
         "was changed"},
        {"a wrong hash of the experiment",
         described(ptp::sha256("name = \"small\"\n"), ptp::sha256("other")),
         "T/x.ptpm: 'experiment.toml' is not what manifest.toml declares: it was changed"},
        {"a hash in capitals", described(ptp::sha256("the weights"), std::string(64, 'A')), at},
        {"a plugin's hash that is none", described(ptp::sha256("plugin"), "abc"), at},
        {"a plugin with a path for a name", described("\"vision_models\"", "\"../evil\""), at},
        {"a name with a terminal's command", described("\"small\"", "\"\\u001b[2J\""), at},
        {"a run with two lines", described("20260131_120000", "a\\nb"), at},
        {"a run with a name of 2 MB", described("20260131_120000", std::string(2000000, 'x')),
         at + ": ancestors: must have hashes of 64 hexadecimal digits, and texts of one line"},
        {"data whose hash is none", described(ptp::sha256("data"), "none"), at},
        {"data with two lines", described("\"training\"", "\"a\\nb\""), at},
        {"data of 1001 sections", changed([](Entries& entries) {
             for (int i = 0; i < 1001; ++i) {
                 entries.front().content += "\n[[data]]\nsection = \"x\"\nsamples = 1\n";
             }
         }),
         at},
        {"2000 parents with a name of 2 MB", with_parents(2000, 2000000), at},
        {"1000 parents with a name of 301 bytes", with_parents(1000, 301), at},
        {"1001 parents", with_parents(1001, 300), at},
        {"a stream with a direction of its own", described("\"input\"", "\"both\""), at},
        {"files that are not a list", described("[[files]]", "[files]"), at},
        {"a manifest of 5 MiB", changed([](Entries& entries) {
             entries.front().content += "\n#" + std::string(std::size_t{5} << 20U, '#');
         }),
         "T/x.ptpm: its manifest.toml has more than 4 MiB"},
        {"a card of 65 MiB", with_file("README.md", std::string(std::size_t{65} << 20U, '#')),
         "T/x.ptpm: its README.md has more than 64 MiB"},
        {"deep nesting", changed([](Entries& entries) {
             entries.front().content += "\nx = " + std::string(100000, '[');
         }),
         at},
        {"a path out of the folder", with_file("../evil"), at},
        {"a path out of it in the middle", with_file("files/../../evil"), at},
        {"an absolute path", with_file("/tmp/evil"), at},
        {"a hidden file", with_file("files/.bashrc"), at},
        {"a library", with_file("plugins/evil.so"), at},
        {"a library beside the experiment", with_file("evil.so"), at},
        {"a build of a plugin in a folder", with_file("plugins/vision_models/vision_models.so"),
         at},
        {"a build with another ending", with_file("plugins/vision_models.dll"), at},
        {"a build whose name differs by case", with_file("plugins/Vision_models.so"), at},
        {"what travels with a build, without it", with_file("plugins/vision_models.data/x"), at},
        {"what travels with a plugin that the model does not need",
         with_build("plugins/evil.data/x"), at},
        {"a library beside a build", with_build("plugins/libevil.so"), at},
        {"a second build", with_build("plugins/vision_models.1.so"), at},
        {"a file that is the folder of a build's libraries",
         with_build("plugins/vision_models.libraries"), at},
        {"a path out of the data of a build",
         with_build("plugins/vision_models.data/../../../evil"), at},
        {"a path out of the libraries of a build",
         with_build("plugins/vision_models.libraries/../libevil.so"), at},
        {"a hidden file in the data of a build", with_build("plugins/vision_models.data/.x"), at},
        {"a file of a build twice", with_build("plugins/vision_models.so"), at},
        {"data of a build, 17 folders deep",
         with_build("plugins/vision_models.data/a/b/c/d/e/f/g/h/i/j/k/l/m/n/o/p/x"), at},
        {"a folder in the folder of files", with_file("files/a/b"), at},
        {"a path twice", with_file("experiment.toml"), at},
        {"a path that differs by case", with_file("Experiment.toml"), at},
        {"a file that is a folder of another", with_file("files"), at},
        {"a path with a backslash", with_file("files/a\\\\b"), at},
        {"a path with a blank", with_file("files/a b"), at},
        {"a path of 100 bytes", with_file("files/" + std::string(94, 'a')), "T/x.ptpm: is not a"},
        {"the manifest as a file", with_file("manifest.toml"), at},
        {"a second checkpoint", with_file("checkpoints/last/weights.safetensors"), at},
        {"samples without their table", with_samples(""),
         at + ":48:1: files: 'samples.safetensors' and [samples] must both be there, or neither"},
        {"a table of samples without them",
         described("[[plugins]]",
                   "[samples]\ncount = 3\nsection = \"test\"\ntolerance = 0.1\n[[plugins]]"),
         at},
        {"no samples", with_samples("[samples]\ncount = 0\nsection = \"t\"\ntolerance = 0.1\n"),
         at},
        {"2^62 samples",
         with_samples("[samples]\ncount = 4611686018427387904\nsection = \"t\"\ntolerance = 0.1\n"),
         at},
        {"a tolerance that is nan",
         with_samples("[samples]\ncount = 1\nsection = \"t\"\ntolerance = nan\n"), at},
        {"a tolerance of everything",
         with_samples("[samples]\ncount = 1\nsection = \"t\"\ntolerance = inf\n"), at},
        {"a section of samples with a terminal's command",
         with_samples("[samples]\ncount = 1\nsection = \"\\u001b[2J\"\ntolerance = 0.1\n"), at},
        {"parameters that are no list",
         described("format = 1", "format = 1\nparameters = \"pipeline\""), at},
        {"a parameter with two lines",
         described("format = 1", "format = 1\nparameters = [\"a\\nb\"]"), at},
        {"ONNX in a folder", with_file("checkpoints/model.onnx"), at},
        {"a script for TorchScript", with_file("model.pt"), at},
        {"the state of an optimizer", with_file("checkpoints/best/training.safetensors"), at},
    };
}

// What its manifest declares, but no experiment of a bundle has.
std::vector<Hostile> experiments() {
    const std::string at = "T/x.ptpm/experiment.toml:";
    const std::string other = ": the experiment of a bundle has no such key";
    return {
        {"a file of the machine", with_experiment("include = \"/etc/passwd\"\n"),
         at + "1:1: include" + other},
        {"files of the machine", with_experiment("name = \"x\"\ninclude = [\"/dev/stdin\"]\n"),
         at + "2:1: include" + other},
        {"folders of plugins", with_experiment("[plugins]\npath = [\"/tmp/evil\"]\n"),
         at + "1:2: plugins" + other},
        {"folders of plugins in a line", with_experiment("plugins.path = [\"files\"]\n"),
         at + "1:1: plugins" + other},
        {"variables", with_experiment("[vars]\nx = 1\n"), at + "1:2: vars" + other},
        {"a group", with_experiment("[group.tower.net]\ntype = \"LeNet5\"\n"),
         at + "1:2: group" + other},
        {"a use of a group",
         with_experiment("[pipeline.left]\nuse = \"tower\"\nmap = { inputs = [\"a\", \"b\"] }\n"),
         at + "2:7: pipeline.left.use = \"tower\": the experiment of a bundle has no groups"},
        {"a use that shares the weights of another",
         with_experiment("[pipeline]\nleft = { use = \"tower\", share = \"right\" }\n"),
         at + "2:16: pipeline.left.use = \"tower\": the experiment of a bundle has no groups"},
        {"no TOML", with_experiment("name = [\n"), at},
        {"deep nesting", with_experiment("x = " + std::string(100000, '[')), at + "1:"},
        {"bytes that are no text", with_experiment("name = \"\xff\"\n"), at},
    };
}

}  // namespace

TEST_CASE("hostile bundles: experiments that name what is elsewhere are refused") {
    for (const Hostile& hostile : experiments()) {
        CAPTURE(hostile.name);
        const std::string text = refusal_of(hostile.bytes);
        CHECK_MESSAGE(text.starts_with(hostile.message), text);
    }
    CHECK(refusal_of(with_experiment("name = \"other\"\n[pipeline.net]\nshare = \"a\"\n")) == "");
}

TEST_CASE("hostile bundles: archives of another form are refused") {
    for (const Hostile& hostile : archives()) {
        CAPTURE(hostile.name);
        const std::string text = refusal_of(hostile.bytes);
        CHECK_MESSAGE(text.starts_with(hostile.message), text);
    }
}

TEST_CASE("hostile bundles: manifests that declare what no bundle has are refused") {
    for (const Hostile& hostile : manifests()) {
        CAPTURE(hostile.name);
        const std::string text = refusal_of(hostile.bytes);
        CHECK_MESSAGE(text.starts_with(hostile.message), text);
    }
}

TEST_CASE("hostile bundles: one with samples and their table is none") {
    CHECK(refusal_of(with_samples("[samples]\ncount = 1\nsection = \"t\"\ntolerance = 0.1\n")) ==
          "");
}

TEST_CASE("hostile bundles: one with a build and what travels with it is none") {
    CHECK(refusal_of(with_build("plugins/vision_models.data/words/en.txt")) == "");
    CHECK(refusal_of(with_build("plugins/vision_models.libraries/libhelper.so")) == "");
}

TEST_CASE("hostile bundles: one with as many parents as a model may have is none") {
    CHECK(refusal_of(with_parents(1000, 300)) == "");
}

TEST_CASE("hostile bundles: there are at least 60") {
    CHECK(archives().size() + manifests().size() + experiments().size() >= 60);
}

TEST_CASE("hostile bundles: one that is cut off anywhere is refused") {
    const std::string good = small_bundle();
    for (std::size_t size = 0; size < good.size(); size += 128) {
        CAPTURE(size);
        CHECK(refusal_of(good.substr(0, size)) != "");
    }
}

TEST_CASE("hostile bundles: one with any bit flipped is refused") {
    const std::string good = small_bundle();
    for (std::size_t at = 0; at < good.size(); at += 31) {
        CAPTURE(at);
        std::string flipped = good;
        flipped[at] = static_cast<char>(flipped[at] ^ (1 << (at % 8)));
        const std::string text = refusal_of(flipped);
        // A manifest whose changed bit is valid states something else, as any unsigned text may.
        const std::size_t end = 512 + small_entries().front().content.size();
        CHECK_MESSAGE((text != "" || (at >= 512 && at < end)), text);
    }
}

}  // namespace hostile_bundles_test
