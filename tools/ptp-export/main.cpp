// ptp-export: takes a trained pipeline along. `ptprun export` starts it. The engine traces the
// forward stage; here it is written as ONNX, and compared.

#include "base/error.hpp"
#include "base/exit_code.hpp"
#include "base/memory.hpp"
#include "base/output_file.hpp"
#include "base/partial_file.hpp"
#include "base/temporary_path.hpp"
#include "base/text.hpp"
#include "bundle/bundle.hpp"
#include "bundle/history.hpp"
#include "common/program.hpp"
#include "host/engine_library.hpp"
#include "host/open_engine.hpp"
#include "host/prepare.hpp"
#include "ptp-export/onnx.hpp"
#include "ptp-export/texts.hpp"
#include "ptp-export/verify.hpp"
#include "ptprun/help.hpp"
#include "ptprun/report.hpp"
#include "ptprun/request_options.hpp"
#include "ptprun/run_operand.hpp"
#include "ptprun/run_warnings.hpp"
#include "ptprun/training_options.hpp"
#include "ptprun/whole_fixes.hpp"
#include "run/paths.hpp"

#include <fmt/core.h>

#include <cstdio>
#include <exception>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

namespace ptp::onnx {

namespace {

using tools::Given;

namespace fs = std::filesystem;

constexpr const char* kCommand = "export";
constexpr const char* kOnnx = "onnx";
constexpr const char* kTorchScript = "torchscript";
constexpr const char* kSafetensors = "safetensors";
constexpr std::int64_t kUsualSamples = 100;

struct Target {
    fs::path file;
    std::string format;
};

// Returns the format that the name of a file ends with; "" for another ending.
std::string format_named(const fs::path& file) {
    const std::string ending = file.extension().string();
    return ending == ".onnx"                    ? kOnnx
           : ending == ".safetensors"           ? kSafetensors
           : ending == ".pt" || ending == ".ts" ? kTorchScript
                                                : "";
}

// A reader would take the file for what its name says.
void refuse_other_ending(const std::string& format, const fs::path& file) {
    const bool is_of_torch = file.extension() == ".pth";
    const std::string named = is_of_torch ? kTorchScript : format_named(file);
    if (named.empty() || named == format) {
        return;
    }
    const char* const ending = format == kOnnx          ? ".onnx"
                               : format == kSafetensors ? ".safetensors"
                                                        : ".pt";
    throw tools::UsageError(fmt::format(
        "-o {}: its ending is not that of --format {}\n    fix: -o {}\n         --format {}",
        file.string(), format, shell_word(fs::path(file).replace_extension(ending).string()),
        named));
}

// Returns the format that is asked for, or that the name of the file ends with.
std::string format_of(const Given& given, const fs::path& file) {
    if (given.has("format")) {
        refuse_other_ending(given.text("format"), file);
        return given.text("format");
    }
    if (const std::string named = format_named(file); !named.empty()) {
        return named;
    }
    throw tools::UsageError(
        fmt::format("-o {}: its ending names no format, as .onnx, .pt and .safetensors do\n"
                    "    fix: --format onnx\n         --format torchscript\n         --format "
                    "safetensors",
                    file.string()));
}

Target target_of(const Given& given) {
    if (!given.has("output")) {
        throw tools::UsageError(
            "-o FILE is needed: model.onnx, model.pt or model.safetensors\n    fix: -o model.onnx");
    }
    const fs::path named = given.text("output");
    Target target{tools::output_file(named, "onnx pt pth safetensors"), format_of(given, named)};
    if (given.has("verify") && target.format != kOnnx) {
        throw tools::UsageError("--verify is for --format onnx alone");
    }
    return target;
}

// "images [batch, 1, 32, 32]"
std::string port_text(const std::string& name, const engine::GraphTensor& tensor,
                      const engine::ForwardGraph& graph) {
    std::vector<std::string> sizes;
    for (const engine::GraphSize& size : tensor.sizes) {
        const bool is_plain =
            size.is_known && size.factor == 1 && size.constant == 0 && size.dimensions.size() == 1;
        sizes.push_back(size.is_constant() ? std::to_string(size.constant)
                        : is_plain         ? graph.dimensions[size.dimensions.front()].name
                                           : "*");
    }
    return fmt::format("{} [{}]", name, join(sizes, ", "));
}

std::string ports_text(const engine::ForwardGraph& graph) {
    std::vector<std::string> inputs;
    std::vector<std::string> outputs;
    for (const std::size_t input : graph.inputs) {
        inputs.push_back(port_text(graph.tensors[input].name, graph.tensors[input], graph));
    }
    for (const engine::GraphOutput& output : graph.outputs) {
        outputs.push_back(port_text(output.name, graph.tensors[output.tensor], graph));
    }
    std::string text =
        fmt::format("  in   {}\n  out  {}\n", join(inputs, ", "), join(outputs, ", "));
    const auto add = [&](const char* title, const std::vector<std::string>& components) {
        if (!components.empty()) {
            text += fmt::format("  {} {}\n", title, join(components, ", "));
        }
    };
    add("before it, not in the file:", graph.before);
    add("after it, not in the file: ", graph.after);
    add("with weights that `-o FILE.safetensors` writes:", graph.before_with_weights);
    return text;
}

std::string run_of(const ptprun::Subject& subject) {
    return subject.bundle ? subject.bundle->file().manifest().lineage.run
           : subject.run  ? fs::weakly_canonical(*subject.run).filename().string()
                          : "";
}

// Returns texts about the model for the metadata of its weights; none for an experiment's.
std::map<std::string, std::string> facts_of(const ptprun::Subject& subject,
                                            const std::optional<fs::path>& checkpoint) {
    if (!subject.run || !checkpoint) {
        return {};
    }
    if (!subject.bundle) {
        return {{bundle::kLineageText, text_of(bundle::history_of(*subject.run, *checkpoint))}};
    }
    const bundle::BundleManifest& manifest = subject.bundle->file().manifest();
    return {{bundle::kLineageText,
             text_of(bundle::History{manifest.lineage, manifest.data, manifest.ancestors})}};
}

class Export {
public:
    Export(const Given& given, Target target) : given_(given), target_(std::move(target)) {}

    int run() {
        const ptprun::Subject subject = ptprun::subject_operand(given_.operands().front());
        const auto checkpoint = ptprun::checkpoint_operand(given_, subject);
        ptprun::apply_bundle_options(given_, subject);
        if (given_.has("verify")) {
            Verification::require_runtime();
        }
        host::Request request = ptprun::request_from(given_);
        request.file = subject.experiment;
        request.processed =
            given_.has("section") ? tools::Strings{given_.text("section")} : tools::Strings();
        request.change = [](experiment::Experiment& experiment, Diagnostics&) {
            host::allow_missing_inputs(experiment);
        };
        Diagnostics problems;
        const host::TrainedWeights weights{subject.run, checkpoint};
        // Never destroyed: the program ends.
        static auto& made = *new host::PreparedPrediction(host::prepare_prediction(
            request, weights, given_.texts("stream"), weights.files(), problems));
        ptprun::warn_of_run(subject, checkpoint, problems);
        ptprun::show(ptprun::with_whole_fixes(kCommand, given_, problems), made.prepared.overrides);
        if (!made.prepared.plan || !problems.ok()) {
            return host::exit_code_for(problems, made.prepared.catalog);
        }
        return write(made,
                     {*made.prepared.plan, made.prepared.experiment.name,
                      made.prepared.processed.front(), run_of(subject), checkpoint},
                     facts_of(subject, checkpoint));
    }

private:
    int write(const host::PreparedPrediction& made, const Origin& origin,
              const std::map<std::string, std::string>& facts) {
        PartialFile file(target_.file);
        engine::ExportRequest request{
            {{made.prepared.experiment, *made.prepared.plan, origin.checkpoint},
             *made.prediction,
             origin.section}};
        request.fixed = given_.texts("fixed");
        if (target_.format == kSafetensors) {
            request.weights = file.path();
            request.facts = facts;
        } else if (target_.format == kTorchScript) {
            request.script = file.path();
        }
        std::string text;
        std::optional<Verification> verification;
        if (given_.has("verify")) {
            verification.emplace(file.path());
            request.samples =
                static_cast<std::uint64_t>(given_.integer("samples").value_or(kUsualSamples));
            request.take_sample = [&](const engine::ForwardSample& sample) {
                guarded([&] { verification->add(sample); });
            };
        }
        if (target_.format != kSafetensors) {
            request.take_graph = [&](const engine::ForwardGraph& graph) {
                guarded([&] {
                    text = ports_text(graph) + prepared_text(graph, origin);
                    if (target_.format == kOnnx) {
                        write_onnx(graph, origin, file);
                    }
                });
            };
        }
        const engine::RunResult result = host::export_in_engine(request);
        if (failure_) {
            std::rethrow_exception(failure_);
        }
        if (result.exit_code != kDone) {
            return ptprun::report(result, made.prepared.overrides);
        }
        const std::string verified = verification ? verification->run() : "";
        file.finish();
        tools::print(fmt::format("{}: written\n{}{}", given_.text("output"), text, verified));
        return verification && verification->has_failed() ? kTrainingError : kDone;
    }

    // TorchScript has no metadata.
    [[nodiscard]] std::string prepared_text(const engine::ForwardGraph& graph,
                                            const Origin& origin) const {
        if (target_.format == kOnnx) {
            return preparation_text(graph, origin, "its metadata ptp.before.toml",
                                    "ptp.globals.toml");
        }
        return preparation_text(
            graph, origin, fmt::format("[{}.task] of the experiment", origin.section),
            origin.checkpoint
                ? bundle::with_bundles_named((*origin.checkpoint / run::kCheckpointFile).string())
                : "the checkpoint");
    }

    // TorchScript has all operations, in files of any size.
    [[noreturn]] void refuse_onnx(const std::string& reason) const {
        const fs::path file = fs::path(given_.text("output")).replace_extension(".pt");
        const std::string options = "--format torchscript --output " + shell_word(file.string());
        const std::string fix = given_.has("verify") ? options + ", without --verify"
                                                     : ptprun::whole_fix(kCommand, given_, options);
        throw RunError(kConfigurationError, fmt::format("{}\n    fix: {}", reason, fix));
    }

    void write_onnx(const engine::ForwardGraph& graph, const Origin& origin,
                    const PartialFile& made) const {
        OnnxFile file;
        add_texts(graph, origin, file);
        try {
            translate(graph, file);
        } catch (const RunError& error) {
            refuse_onnx(error.what());
        }
        if (file.size() > kMaxFileBytes) {
            refuse_onnx(
                fmt::format("the file would have {} bytes, and readers of ONNX take {} at "
                            "most",
                            file.size(), kMaxFileBytes));
        }
        OutputFile output = made.open_to_write();
        file.write(output);
        output.finish();
    }

    // Exceptions do not cross the engine.
    template <class Work>
    void guarded(Work work) noexcept {
        try {
            if (!failure_) {
                work();
            }
        } catch (...) {
            failure_ = std::current_exception();
        }
    }

    const Given& given_;
    Target target_;
    std::exception_ptr failure_;
};

int run_export(const Given& given) {
    ptprun::require_one_process("ptprun export");
    const Target target = target_of(given);
    keep_freed_memory();
    return Export(given, target).run();
}

tools::Command export_command() {
    return {
        .summary = "writes a trained pipeline as ONNX, TorchScript or safetensors",
        .details =
            "The forward stage is written: the components that compute with numbers on batches,\n"
            "with their weights, from the streams of prepared samples to those that are\n"
            "predicted. Sizes of batches and lengths stay free. What reads files and texts, and\n"
            "what makes texts of the results, is named in the file as text.\n"
            "safetensors has the weights alone, named COMPONENT.TENSOR.\n",
        .operands = {ptprun::declared_subject()},
        .options = tools::concat(
            {{{.name = "output,o",
               .value = "FILE",
               .help = "write this file; its ending is .onnx, .pt or .safetensors, or give "
                       "--format",
               .completions = {tools::kFiles}},
              {.name = "format",
               .value = "FORMAT",
               .help = "onnx (opset 17), torchscript or safetensors (default: by the file's name)",
               .choices = {kOnnx, kTorchScript, kSafetensors}},
              {.name = "stream",
               .value = "NAME",
               .help = "an output; may be given several times (default: what is predicted)",
               .is_repeatable = true},
              {.name = "fixed",
               .value = "SIZE",
               .help = "keep this size of the inputs as it is in the data, such as a length; may "
                       "be given several times",
               .is_repeatable = true},
              {.name = "verify",
               .help = "compare the file in ONNX Runtime of python3, or of the interpreter "
                       "PTP_PYTHON, with what the components compute"},
              {.name = "samples",
               .value = "N",
               .help = "how many samples --verify compares (default: 100)",
               .integers = tools::Integers{.min = 1},
               .needs = "verify"},
              ptprun::section_option("whose samples are traced (default: test, or validation)"),
              ptprun::checkpoint_option()},
             ptprun::bundle_options(),
             ptprun::request_options(),
             {{.name = "version", .help = "print the version"}}}),
        .example = "ptprun export last -o model.onnx --verify",
        .keeps_results = true,
        .run = run_export};
}

}  // namespace

int run_program(const tools::Strings& words) {
    const tools::Command command = export_command();
    tools::Command named = command;  // as ptprun names it
    named.name = "export";
    return tools::run_program({"ptp-export", command,
                               "0 done, 2 wrong input, nothing to export or no ONNX Runtime for "
                               "--verify, 3 plugin, 4 data, 5 writing or --verify failed",
                               ptprun::advice_on_option(named, words)},
                              words);
}

}  // namespace ptp::onnx

int main(int argc, char** argv) {
    ptp::host::leave(ptp::onnx::run_program({argv + 1, argv + argc}));
}
