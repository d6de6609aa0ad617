// Writes samples as files of numpy, and runs a script on them.

#include "ptp-export/verify.hpp"

#include "base/error.hpp"
#include "base/exit_code.hpp"
#include "base/explanation.hpp"
#include "base/output_file.hpp"
#include "base/text.hpp"
#include "distributed/program.hpp"

#include <fmt/core.h>

#include <cstdlib>
#include <string_view>
#include <vector>

namespace ptp::onnx {

namespace fs = std::filesystem;

namespace {

// Prints a line for each output: its name, the largest difference, divided by the largest value of
// its batch if that is above 1, and how many rows have their largest value elsewhere, at one that
// is lower by more than 1e-5 of it. Exits with 3 where an output differs by more than 1e-5, and
// with another code but 0 where nothing can be compared. Without arguments it only looks whether
// something could.
constexpr const char* kScript = R"(
import pathlib, sys
try:
    import numpy, onnxruntime
except Exception as problem:
    sys.exit(f"{problem}")
if len(sys.argv) == 1:
    sys.exit(0)
def differs(why):
    print(f"  {why}")
    sys.exit(3)
numpy.seterr(invalid="ignore")
folder = pathlib.Path(sys.argv[2])
options = onnxruntime.SessionOptions()
options.log_severity_level = 3
session = onnxruntime.InferenceSession(sys.argv[1], options, ["CPUExecutionProvider"])
names = [output.name for output in session.get_outputs()]
largest, indices, rows = {}, {}, {}
for sample in sorted(folder.glob("sample*")):
    inputs = {one.name: numpy.load(sample / "in" / f"{number}.npy") for number, one in enumerate(session.get_inputs())}
    for number, (name, got) in enumerate(zip(names, session.run(names, inputs))):
        expected = numpy.load(sample / "out" / f"{number}.npy")
        if got.shape != expected.shape:
            differs(f"{name}: {got.shape} in ONNX Runtime, {expected.shape} in ptp")
        finite = numpy.isfinite(expected)
        if not numpy.array_equal(expected[~finite], got[~finite], equal_nan=True) or not numpy.isfinite(got[finite]).all():
            differs(f"{name}: other values are infinite in ONNX Runtime")
        difference = numpy.abs(got.astype(float) - expected)[finite].max(initial=0)
        scale = max(1, numpy.abs(expected[finite]).max(initial=0))
        largest[name] = max(largest.get(name, 0), difference / scale)
        if expected.ndim > 1 and expected.shape[-1] > 1:
            there = numpy.take_along_axis(expected, got.argmax(-1)[..., None], -1)[..., 0]
            other = expected.max(-1) - there > 1e-5 * scale
            indices[name] = indices.get(name, 0) + int(other.sum())
            rows[name] = rows.get(name, 0) + other.size
for name in names:
    line = f"  {name}: largest difference {largest[name]:.1e}"
    if name in rows:
        line += f", another largest score in {indices[name]} of {rows[name]}"
    print(line)
sys.exit(3 if max(largest.values()) > 1e-5 else 0)
)";

const char* numpy_type(engine::GraphType type) {
    switch (type) {
        case engine::GraphType::kFloat:
            return "<f4";
        case engine::GraphType::kDouble:
            return "<f8";
        case engine::GraphType::kHalf:
            return "<f2";
        case engine::GraphType::kInt64:
            return "<i8";
        case engine::GraphType::kInt32:
            return "<i4";
        case engine::GraphType::kByte:
            return "|u1";
        default:
            return "|b1";
    }
}

// Writes a file in version 1.0 of numpy's format: a header padded to 64 bytes, and the numbers.
void write_numpy(const fs::path& path, const engine::ForwardSample::Tensor& tensor) {
    constexpr std::size_t kAlignment = 64;
    constexpr std::size_t kBeforeHeader = 10;
    std::string sizes;
    for (const std::int64_t size : tensor.sizes) {
        sizes += fmt::format("{},", size);
    }
    std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}",
                                     numpy_type(tensor.type), sizes);
    while ((kBeforeHeader + header.size() + 1) % kAlignment != 0) {
        header += ' ';
    }
    header += '\n';
    OutputFile file = OutputFile::create(path);
    file.write(std::string_view("\x93NUMPY\x01\x00", 8));
    const auto size = static_cast<std::uint16_t>(header.size());
    const char bytes[] = {static_cast<char>(size & 0xFFU), static_cast<char>(size >> 8U)};
    file.write(bytes, sizeof bytes);
    file.write(header);
    file.write(tensor.data, tensor.bytes);
    file.finish();
}

std::string interpreter() {
    const char* const named = std::getenv("PTP_PYTHON");
    return named == nullptr ? "python3" : named;
}

struct Ended {
    int code = 0;
    std::string output;
};

// The codes of /usr/bin/env for a program that it cannot run.
constexpr int kCannotRun = 126;
constexpr int kNoProgram = 127;

// Runs the script, which is written into the folder, with these arguments.
Ended run_script(const fs::path& folder, const std::vector<std::string>& arguments) {
    const fs::path script = folder / "verify.py";
    const fs::path output = folder / "output.txt";
    replace_file(script, kScript);
    std::vector<std::string> words = {interpreter(), script.string()};
    words.insert(words.end(), arguments.begin(), arguments.end());
    const int code =
        distributed::run({.path = "/usr/bin/env", .arguments = words, .output = output});
    return {code, read_text(output)};
}

}  // namespace

void Verification::require_runtime() {
    const TemporaryPath folder = TemporaryPath::new_folder();
    Ended ended = run_script(folder.path(), {});
    if (ended.code == 0) {
        return;
    }
    std::string& why = ended.output;
    why.resize(why.find_last_not_of('\n') + 1);
    // Debian's own interpreter takes packages in a virtual environment alone.
    const std::string install = fmt::format(
        "{} -m venv ~/onnx && ~/onnx/bin/pip install onnxruntime numpy && export "
        "PTP_PYTHON=~/onnx/bin/python\n         or ",
        shell_word(interpreter()));
    throw WithFix<RunError>(
        kConfigurationError,
        {fmt::format("--verify: the file cannot be compared in {}: {}", interpreter(), why),
         fmt::format("{}name an interpreter that has onnxruntime and numpy in PTP_PYTHON; without "
                     "--verify the file is written all the same",
                     ended.code == kCannotRun || ended.code == kNoProgram ? "" : install)});
}

void Verification::add(const engine::ForwardSample& sample) {
    const fs::path folder = folder_.path() / fmt::format("sample{:06}", count_++);
    const auto write_all = [&](const char* name, const auto& tensors) {
        fs::create_directories(folder / name);
        for (std::size_t i = 0; i < tensors.size(); ++i) {
            write_numpy(folder / name / fmt::format("{}.npy", i), tensors[i]);
        }
    };
    write_all("in", sample.inputs);
    write_all("out", sample.outputs);
}

std::string Verification::run() {
    constexpr int kDiffers = 3;
    const Ended ended = run_script(folder_.path(), {file_.string(), folder_.path().string()});
    has_failed_ = ended.code != 0;
    return ended.output +
           (!has_failed_ ? fmt::format("  verified in ONNX Runtime on {} batches\n", count_)
            : ended.code == kDiffers ? "  ONNX Runtime computes something else\n"
                                     : "  not verified: ONNX Runtime cannot run the file\n");
}

}  // namespace ptp::onnx
