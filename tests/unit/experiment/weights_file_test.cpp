#include "experiment/weights_file.hpp"

#include "support/temp_folder.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <string>

namespace weights_file_test {

using namespace ptp::experiment;
using namespace std::string_literals;

TEST_CASE("weights file: a file is itself, whether it is there or not") {
    const ptp::test::TempFolder folder;
    CHECK(weights_file(folder.path() / "nothing") == folder.path() / "nothing");
    const auto file = folder.write("some.safetensors", "");
    CHECK(weights_file(file) == file);
}

TEST_CASE("weights file: of a checkpoint's folder it is the one in it, of a run's the best one") {
    const ptp::test::TempFolder folder;
    const auto best = folder.path() / "checkpoints" / "best" / "weights.safetensors";
    CHECK(weights_file(folder.path()) == best);
    folder.write("checkpoints/best/weights.safetensors", "");
    CHECK(weights_file(folder.path()) == best);
    const auto own = folder.write("weights.safetensors", "");
    CHECK(weights_file(folder.path()) == own);
}

TEST_CASE("weights file: where averages were evaluated they are taken, unless the file is named") {
    const ptp::test::TempFolder folder;
    const auto raw = folder.write("checkpoints/best/weights.safetensors", "");
    const auto averages = folder.write("checkpoints/best/averages.safetensors", "");
    CHECK(weights_file(folder.path()) == averages);
    CHECK(weights_file(folder.path() / "checkpoints" / "best") == averages);
    CHECK(weights_file(raw) == raw);
}

TEST_CASE("weights file: its form is known by its first bytes") {
    struct Case {
        std::string bytes;
        WeightsForm form;
    };
    const std::string magic = "\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.";
    const Case cases[] = {
        {"\x02\0\0\0\0\0\0\0{}"s, WeightsForm::kSafetensors},
        {"\x03\0\0\0\0\0\0\0{}"s, WeightsForm::kNone},
        {"\x02\0\0\0\0\0\0\0[]"s, WeightsForm::kNone},
        {"\x02\0\0\0\0\0\0\0"s, WeightsForm::kNone},
        {"PK\x03\x04", WeightsForm::kTorchZip},
        {"PK\x05\x06", WeightsForm::kNone},
        {"\x80\x02" + magic, WeightsForm::kTorchLegacy},
        {"\x80\x04\x95\x0d\0\0\0\0\0\0\0"s + magic, WeightsForm::kTorchLegacy},
        {"\x80\x02" + magic.substr(0, 11), WeightsForm::kNone},
        {magic, WeightsForm::kNone},
        {"<!DOCTYPE html>", WeightsForm::kNone},
        {"", WeightsForm::kNone},
    };
    const ptp::test::TempFolder folder;
    for (const Case& c : cases) {
        CAPTURE(c.bytes);
        CHECK((weights_form(folder.write("w", c.bytes)) == c.form));
    }
}

TEST_CASE("weights file: what cannot be one is said, and waits for nobody") {
    const ptp::test::TempFolder folder;
    CHECK((weights_form(folder.path()) == WeightsForm::kNone));
    CHECK(why_no_weights(folder.path()) == "cannot be read");
    const auto pipe = folder.path() / "pipe";
    REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
    CHECK((weights_form(pipe) == WeightsForm::kNone));
    CHECK(why_no_weights(pipe) == "cannot be read");
    CHECK(why_no_weights(folder.write("page", "<html>")) ==
          "is not a file of weights: neither safetensors nor what torch.save() writes (.pth, .pt)");
}

TEST_CASE(
    "weights file: a program, a whole model and a part of a file are known without libtorch") {
    const ptp::test::TempFolder folder;
    const std::string begin = "PK\x03\x04 archive/data.pkl \x80\x02";
    const std::string end = "PK\x01\x02 archive/data.pkl PK\x05\x06";
    CHECK(why_no_weights(folder.write("w.pth", begin + "ctorch._utils\n" + end)) == "");
    CHECK(why_no_weights(folder.write("w.pth", begin)) ==
          "is damaged or not whole: it is a zip archive without its end");
    CHECK(why_no_weights(folder.write("w.pth", begin + "PK\x01\x02 archive/constants.pkl" + end)) ==
          "holds a TorchScript program, which is not run: in Python, "
          "torch.save(torch.jit.load(\"w.pth\").state_dict(), \"weights.pth\") writes its weights "
          "alone");
    CHECK(
        why_no_weights(folder.write("w.pth", begin + "ctorch.nn.modules.linear\nLinear\n" + end)) ==
        "holds a whole model, whose code is not run: in Python, torch.save(model.state_dict(), "
        "\"weights.pth\") writes its weights alone");
}

}  // namespace weights_file_test
