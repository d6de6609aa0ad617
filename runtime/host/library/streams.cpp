// The functions of <ptp/host.h> for streams and predictions. No exception leaves them.

#include "host/library/experiment.hpp"

#include <string>
#include <utility>
#include <vector>

using ptp::host::call;
using ptp::host::refused;
using ptp::host::Session;

ptp_result ptp_experiment_streams(ptp_experiment* experiment, const ptp_stream** out,
                                  size_t* count) {
    return call(experiment, [&](Session& session) {
        if (out == nullptr || count == nullptr) {
            return refused("a result is NULL");
        }
        *out = nullptr;
        *count = 0;
        auto result = session.streams(experiment->described);
        if (result.exit_code == ptp::kDone) {
            experiment->streams.clear();
            for (const ptp::host::DescribedStream& stream : experiment->described) {
                experiment->streams.push_back({stream.name.c_str(), stream.element.c_str(),
                                               stream.shape.c_str(), stream.help.c_str(),
                                               stream.is_fed ? 1 : 0, stream.is_needed ? 1 : 0,
                                               stream.is_predicted ? 1 : 0});
            }
            *out = experiment->streams.data();
            *count = experiment->streams.size();
        }
        return result;
    });
}

ptp_result ptp_experiment_read(ptp_experiment* experiment, const char* stream,
                               DLManagedTensor** out) {
    if (out != nullptr) {
        *out = nullptr;
    }
    return call(experiment, [&](Session& session) {
        if (stream == nullptr || out == nullptr) {
            return refused("the stream or the result is NULL");
        }
        ptp::engine::StreamValue value;
        auto result = session.read(stream, value);
        *out = value.tensor;
        if (result.exit_code == ptp::kDone && value.tensor == nullptr) {
            return refused("it is a stream of strings: ptp_experiment_read_strings() reads it");
        }
        return result;
    });
}

ptp_result ptp_experiment_read_strings(ptp_experiment* experiment, const char* stream,
                                       const char* const** out, size_t* count) {
    return call(experiment, [&](Session& session) {
        if (stream == nullptr || out == nullptr || count == nullptr) {
            return refused("the stream or a result is NULL");
        }
        ptp::engine::StreamValue value;
        auto result = session.read(stream, value);
        if (value.tensor != nullptr) {
            value.tensor->deleter(value.tensor);
            return refused("it is a stream of a tensor: ptp_experiment_read() reads it");
        }
        experiment->strings.assign(std::move(value.strings));
        *out = experiment->strings.pointers.data();
        *count = experiment->strings.pointers.size();
        return result;
    });
}

ptp_result ptp_experiment_feed(ptp_experiment* experiment, const char* stream,
                               const DLTensor* tensor) {
    return call(experiment, [&](Session& session) {
        if (stream == nullptr) {
            return refused("the stream is NULL");
        }
        if (tensor == nullptr) {
            return session.take_away(stream);
        }
        ptp::engine::RunResult fed =
            session.feed(stream, DLManagedTensor{*tensor, nullptr, nullptr});
        if (!fed.warnings.empty()) {
            ptp::host::list_problems(*experiment);
        }
        return fed;
    });
}

ptp_result ptp_experiment_feed_strings(ptp_experiment* experiment, const char* stream,
                                       const char* const* strings, size_t count) {
    return call(experiment, [&](Session& session) {
        if (stream == nullptr || (strings == nullptr && count > 0)) {
            return refused("the stream or the strings are NULL");
        }
        return session.feed(stream, std::vector<std::string>(strings, strings + count));
    });
}

ptp_result ptp_experiment_predict(ptp_experiment* experiment) {
    return call(experiment, [](Session& session) { return session.predict(); });
}
