// The steps of an export: the pipeline with its weights, its forward stage, traces of three sizes,
// the graph, and samples with what the components compute of them.

#include "engine/export/export.hpp"

#include "base/ranges.hpp"
#include "base/temporary_path.hpp"
#include "engine/checkpoint/safetensors.hpp"
#include "engine/component/observation.hpp"
#include "engine/export/forward_stage.hpp"
#include "engine/export/merge_traces.hpp"
#include "engine/export/script.hpp"
#include "engine/export/stage_inputs.hpp"
#include "engine/export/trace.hpp"
#include "engine/export/traced_graph.hpp"
#include "engine/output/console.hpp"
#include "engine/predict/evaluated.hpp"
#include "engine/train/process_setup.hpp"
#include "pipeline/task_data.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

namespace ptp::engine {

namespace {

constexpr std::size_t kTraces = 3;
constexpr std::int64_t kSmallestBatch = 3;
constexpr std::int64_t kCheckedSamples = 6;
constexpr double kTolerance = 1e-5;  // of the values of another form of the graph

// Steps from the sizes of the first trace to those of the second and third. No two rows are
// in proportion, so that a number that grows with one size is not taken for another's.
constexpr std::array<std::array<std::int64_t, kTraces>, 6> kSteps = {
    {{0, 2, 8}, {0, 3, 7}, {0, 5, 13}, {0, 4, 6}, {0, 7, 9}, {0, 6, 17}}};

// The batches and lengths of samples are others than those of the traces.
constexpr std::array<std::int64_t, 4> kSampleBatches = {1, 8, 4, 16};

bool is_read(const ForwardGraph& graph, std::size_t tensor) {
    return std::ranges::any_of(graph.nodes,
                               [&](const GraphNode& node) { return node.reads(tensor); }) ||
           std::ranges::find(graph.outputs, tensor, &GraphOutput::tensor) != graph.outputs.end();
}

class Export : private TrainedEvaluation {
public:
    explicit Export(const ExportRequest& request)
        : TrainedEvaluation(request, "cpu", {.verbosity = Verbosity::kQuiet}),
          request_(request),
          pipeline_(parts(false)),
          section_(experiment_, request.section, pipeline_),
          stage_(find_forward_stage(plan_, pipeline_.components,
                                    *pipeline_.components.task(request.section),
                                    request.prediction)),
          weights_(weights_of(stage_.forward)),
          inputs_(pipeline_, section_, stage_, request.fixed) {
        for (std::size_t i = 0; i < stage_.inputs.size(); ++i) {
            kept_.push_back(i);
        }
    }

    void run() {
        if (request_.weights) {
            write_weights();
        }
        if (request_.take_graph || request_.script) {
            trace();
        }
        if (request_.take_sample) {
            show_samples();
        }
        pipeline_.require_unchanged_weights();
    }

private:
    void write_weights() const {
        std::vector<Instance*> components = stage_.before;
        components.insert(components.end(), stage_.forward.begin(), stage_.forward.end());
        TensorsByName tensors;
        for (const NamedWeight& weight : weights_of(components)) {
            tensors.emplace_back(weight.name, weight.tensor.detach());
        }
        std::map<std::string, std::string> facts = request_.facts;
        facts.emplace("format", "pt");
        OutputFile file = OutputFile::append(*request_.weights, 0);
        safetensors_bytes(tensors, facts).write(file);
        file.finish();
    }

    void trace() {
        const bool lets_write = !request_.script && std::ranges::any_of(stage_.forward, writes);
        if (lets_write) {
            check_trace();
        }
        ForwardGraph graph = graph_of(stage_, lets_write);
        describe(graph);
        leave_out_unread(graph);
        if (request_.script) {
            write_script(*request_.script, graph, weights_);
            RunningScript script(*request_.script);
            check(script);
        } else if (!lets_write) {
            RunningScript script(graph, weights_);
            check(script);
        }
        if (request_.take_graph) {
            request_.take_graph(graph);
        }
    }

    static bool writes(const Instance* instance) { return instance->writes_onnx(); }

    // Compares the graph of operations that components trace which write themselves, if it can be
    // traced: what they write is compared in readers of ONNX alone.
    void check_trace() {
        try {
            ForwardGraph graph = graph_of(stage_);
            describe(graph);
            leave_out_unread(graph);
            RunningScript script(graph, weights_);
            check(script);
        } catch (const ExportError& error) {
            if (!writes(stage_.forward[error.component()])) {
                throw;
            }
        }
    }

    // Returns the graph of traces of three sizes. Its data are valid until the next call.
    ForwardGraph graph_of(const ForwardStage& stage, bool lets_write = false) {
        std::vector<std::vector<std::int64_t>> sizes;
        traces_.clear();
        for (std::size_t i = 0; i < kTraces; ++i) {
            sizes.push_back(sizes_of_trace(i));
            const auto graph =
                traced(stage, sizes.back(), static_cast<std::int64_t>(i), lets_write);
            traces_.push_back(read_trace(*graph, stage, weights_));
        }
        return merge_traces(traces_, inputs_.dimensions(), sizes);
    }

    // Compares a graph with the components on samples one by one and on a batch, in lengths that
    // were not traced: what is no operation of libtorch, or a constant of the samples that were
    // traced, computes something else.
    void check(RunningScript& script) {
        for (std::int64_t i = 0; i < kCheckedSamples; ++i) {
            std::vector<std::int64_t> sizes = inputs_.sizes();
            sizes[0] = i + 1 == kCheckedSamples ? 2 : 1;
            for (std::size_t k = 1; k < sizes.size(); ++k) {
                sizes[k] += i % 2;
            }
            const std::vector<at::Tensor> inputs = inputs_.resized(sizes, i);
            compute(inputs, sizes);
            const std::vector<at::Tensor> results =
                script.run(transformed(kept_, [&](std::size_t each) { return inputs[each]; }));
            for (std::size_t k = 0; k < results.size(); ++k) {
                if (!is_close(results[k], stage_.outputs[k])) {
                    refuse_other_results(inputs, sizes, stage_.outputs[k]);
                }
            }
        }
    }

    [[nodiscard]] bool is_close(const at::Tensor& result, int stream) {
        const at::Tensor& expected = pipeline_.frame[stream].tensor;
        return result.sizes() == expected.sizes() &&
               result.scalar_type() == expected.scalar_type() &&
               at::allclose(result, expected, kTolerance, kTolerance, true);
    }

    // Refuses the first component whose graph computes something else of these inputs.
    [[noreturn]] void refuse_other_results(const std::vector<at::Tensor>& inputs,
                                           const std::vector<std::int64_t>& sizes, int stream) {
        std::size_t wrong = stage_.forward.size() - 1;
        ForwardStage begin = stage_;
        for (std::size_t i = 0; i + 1 < stage_.forward.size(); ++i) {
            begin.forward.assign(stage_.forward.begin(),
                                 stage_.forward.begin() + static_cast<std::ptrdiff_t>(i) + 1);
            begin.outputs = read_streams(i);
            if (begin.outputs.empty()) {
                continue;
            }
            RunningScript script(graph_of(begin), weights_);
            const std::vector<at::Tensor> results = script.run(inputs);
            compute(inputs, sizes);
            bool is_same = true;
            for (std::size_t k = 0; k < results.size(); ++k) {
                is_same = is_same && is_close(results[k], begin.outputs[k]);
            }
            if (!is_same) {
                wrong = i;
                stream = begin.outputs.front();
                break;
            }
        }
        throw ExportError(
            wrong, stage_.forward[wrong]->title(),
            fmt::format("for other samples than those that were traced, its operations compute "
                        "another '{}' than it does: it reads values of its inputs, or fills "
                        "memory, in code of its own",
                        name_of(stream)));
    }

    // Returns the streams of a component that those after it, or users of the file, read.
    [[nodiscard]] std::vector<int> read_streams(std::size_t component) const {
        std::vector<int> streams;
        for (const pipeline::Binding& output : stage_.forward[component]->node().outputs) {
            bool is_read = contains(stage_.outputs, output.stream);
            for (std::size_t i = component + 1; i < stage_.forward.size(); ++i) {
                is_read = is_read || std::ranges::any_of(stage_.forward[i]->node().inputs,
                                                         [&](const pipeline::Binding& input) {
                                                             return input.stream == output.stream;
                                                         });
            }
            if (output.stream >= 0 && is_read) {
                streams.push_back(output.stream);
            }
        }
        return streams;
    }

    [[nodiscard]] std::vector<std::int64_t> sizes_of_trace(std::size_t trace) const {
        std::vector<std::int64_t> sizes = inputs_.sizes();
        sizes[0] = kSmallestBatch;
        for (std::size_t i = 0; i < sizes.size(); ++i) {
            sizes[i] += kSteps[i % kSteps.size()][trace];
        }
        return sizes;
    }

    std::shared_ptr<torch::jit::Graph> traced(const ForwardStage& stage,
                                              const std::vector<std::int64_t>& sizes,
                                              std::int64_t first, bool lets_write) {
        try {
            return trace_forward({stage, weights_, pipeline_.frame,
                                  evaluation_step(section_, sizes.front()), lets_write},
                                 inputs_.resized(sizes, first));
        } catch (const ExportError& error) {
            if (sizes == sizes_of_trace(0)) {
                throw;
            }
            std::string advice;
            std::string text;
            for (std::size_t i = 0; i < sizes.size(); ++i) {
                const std::string& name = inputs_.dimensions()[i].name;
                text += fmt::format("{}{} = {}", i == 0 ? "" : ", ", name, sizes[i]);
                advice += i == 0 ? "" : " --fixed " + name;
            }
            throw ExportError(
                error.component(), error.code(),
                Explanation{fmt::format("cannot export for other sizes than those of the data, "
                                        "{}: {}",
                                        text, error.what()),
                            advice.empty() ? ""
                                           : advice.substr(1) + " exports the size of the "
                                                                "data alone"});
        }
    }

    void describe(ForwardGraph& graph) {
        for (std::size_t i = 0; i < stage_.inputs.size(); ++i) {
            graph.tensors[graph.inputs[i]].name = name_of(stage_.inputs[i]);
        }
        for (std::size_t i = 0; i < stage_.outputs.size(); ++i) {
            graph.outputs[i].name = name_of(stage_.outputs[i]);
        }
        graph.before =
            transformed(stage_.before, [](const Instance* each) { return each->title(); });
        for (Instance* each : stage_.before) {
            if (!each->tensors().empty()) {
                graph.before_with_weights.push_back(each->title());
            }
        }
        graph.after = stage_.after;
        const std::string& names = request_.prediction.streams.front().class_names;
        graph.globals = pipeline_.globals.values();
        if (const Value* found = graph.globals.find(names)) {
            graph.class_names =
                pipeline::class_names_in(*found).value_or(std::vector<std::string>());
        }
    }

    // Leaves out inputs that no operation reads, such as the targets of a transform that mixes
    // samples in training alone.
    void leave_out_unread(ForwardGraph& graph) {
        std::vector<std::size_t> kept;
        for (std::size_t i = 0; i < graph.inputs.size(); ++i) {
            if (is_read(graph, graph.inputs[i])) {
                kept.push_back(i);
            }
        }
        std::vector<DynamicSize> dimensions;
        for (const DynamicSize& dimension : graph.dimensions) {
            const auto found = inputs_.place_in(dimension.name, kept);
            if (!found) {
                return;  // its size is known by an input that is not read
            }
            dimensions.push_back(*found);
        }
        graph.dimensions = std::move(dimensions);
        graph.inputs = transformed(kept, [&](std::size_t i) { return graph.inputs[i]; });
        kept_ = std::move(kept);
    }

    [[nodiscard]] const std::string& name_of(int stream) const { return plan_.stream(stream).name; }

    // Shows batches of these sizes until there are enough samples; after those of the section,
    // others that are made of the last ones.
    void show_samples() {
        std::uint64_t shown = 0;
        bool are_new = true;
        for (std::size_t i = 0; shown < request_.samples; ++i) {
            std::vector<std::int64_t> sizes = inputs_.sizes();
            sizes[0] = kSampleBatches[std::min(i, kSampleBatches.size() - 1)];
            for (std::size_t k = 1; k < sizes.size(); ++k) {
                sizes[k] += i % 2 == 0 ? 1 : 0;
            }
            const std::vector<at::Tensor> inputs = inputs_.resized(sizes);
            show_sample(are_new ? inputs : varied(inputs, i), sizes);
            shown += static_cast<std::uint64_t>(sizes[0]);
            are_new = inputs_.next();
        }
    }

    void compute(const std::vector<at::Tensor>& inputs, const std::vector<std::int64_t>& sizes) {
        Frame& frame = pipeline_.frame;
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            frame[stage_.inputs[i]].tensor = inputs[i];
        }
        for (Instance* const instance : stage_.forward) {
            call(*instance, frame, evaluation_step(section_, sizes.front()));
        }
    }

    void show_sample(const std::vector<at::Tensor>& inputs,
                     const std::vector<std::int64_t>& sizes) {
        const Frame& frame = pipeline_.frame;
        compute(inputs, sizes);
        std::vector<at::Tensor> kept;
        const auto described = [&](int stream, const at::Tensor& tensor) {
            kept.push_back(tensor.contiguous());
            return ForwardSample::Tensor{name_of(stream), graph_type(kept.back().scalar_type()),
                                         kept.back().sizes().vec(), kept.back().data_ptr(),
                                         kept.back().nbytes()};
        };
        ForwardSample sample;
        for (const std::size_t i : kept_) {
            sample.inputs.push_back(described(stage_.inputs[i], inputs[i]));
        }
        for (const int stream : stage_.outputs) {
            sample.outputs.push_back(described(stream, frame[stream].tensor));
        }
        request_.take_sample(sample);
    }

    const ExportRequest& request_;
    EvaluatedPipeline pipeline_;
    EvaluatedSection section_;
    const ForwardStage stage_;
    const std::vector<NamedWeight> weights_;
    StageInputs inputs_;
    std::vector<TracedGraph> traces_;
    std::vector<std::size_t> kept_;  // the inputs that the graph reads: indices into stage_.inputs
};

}  // namespace

void export_forward(const ExportRequest& request) {
    set_up_process();
    Export(request).run();
}

}  // namespace ptp::engine
