// Reads what an ONNX file says of itself, by the numbers of the fields in onnx.proto. For tests:
// an independent reader beside the writer of tools/ptp-export.

#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::test {

// The fields of one message: numbers and bytes by field, in order.
struct ProtoFields {
    std::multimap<int, std::uint64_t> numbers;
    std::multimap<int, std::string_view> texts;

    explicit ProtoFields(std::string_view bytes) {
        std::size_t at = 0;
        const auto number = [&] {
            std::uint64_t value = 0;
            for (unsigned shift = 0;; shift += 7) {
                const auto byte = static_cast<unsigned char>(bytes.at(at++));
                value |= static_cast<std::uint64_t>(byte & 0x7FU) << shift;
                if (byte < 0x80U) {
                    return value;
                }
            }
        };
        while (at < bytes.size()) {
            const std::uint64_t key = number();
            const int field = static_cast<int>(key >> 3U);
            switch (key & 7U) {
                case 0:
                    numbers.emplace(field, number());
                    break;
                case 2: {
                    const std::uint64_t size = number();
                    texts.emplace(field, bytes.substr(at, size));
                    at += size;
                    break;
                }
                case 5:
                    at += 4;
                    break;
                default:
                    throw std::runtime_error("an unknown type of field");
            }
        }
        if (at != bytes.size()) {
            throw std::runtime_error("a field reaches beyond its message");
        }
    }

    [[nodiscard]] std::string text(int field) const {
        const auto found = texts.find(field);
        return found == texts.end() ? "" : std::string(found->second);
    }
    [[nodiscard]] std::uint64_t number(int field) const {
        const auto found = numbers.find(field);
        return found == numbers.end() ? 0 : found->second;
    }
    [[nodiscard]] std::vector<ProtoFields> messages(int field) const {
        std::vector<ProtoFields> found;
        const auto [begin, end] = texts.equal_range(field);
        for (auto each = begin; each != end; ++each) {
            found.emplace_back(each->second);
        }
        return found;
    }
};

struct OnnxSummary {
    std::uint64_t ir_version = 0;
    std::uint64_t opset = 0;
    std::vector<std::string> operators;          // types, in order
    std::map<std::string, std::string> weights;  // "net.weight": "1:[2, 3]", type and sizes
    std::map<std::string, std::string> data;     // their bytes
    std::vector<std::string> inputs;             // "inputs 1:[batch, 3]"
    std::vector<std::string> outputs;
    std::map<std::string, std::string> texts;
};

inline std::string port_text(const ProtoFields& port) {
    const ProtoFields tensor(port.messages(2).front().messages(1).front());
    std::string text = port.text(1) + " " + std::to_string(tensor.number(1)) + ":[";
    const auto dimensions = tensor.messages(2).front().messages(1);
    for (std::size_t i = 0; i < dimensions.size(); ++i) {
        const std::string name = dimensions[i].text(2);
        text +=
            (i == 0 ? "" : ", ") + (name.empty() ? std::to_string(dimensions[i].number(1)) : name);
    }
    return text + "]";
}

inline OnnxSummary read_onnx(const std::string& bytes) {
    const ProtoFields model(bytes);
    const ProtoFields graph = model.messages(7).at(0);
    OnnxSummary found;
    found.ir_version = model.number(1);
    found.opset = model.messages(8).at(0).number(2);
    for (const ProtoFields& node : graph.messages(1)) {
        found.operators.push_back(node.text(4));
    }
    for (const ProtoFields& tensor : graph.messages(5)) {
        std::string sizes;
        const auto [begin, end] = tensor.numbers.equal_range(1);
        for (auto size = begin; size != end; ++size) {
            sizes += (size == begin ? "" : ", ") + std::to_string(size->second);
        }
        found.weights[tensor.text(8)] = std::to_string(tensor.number(2)) + ":[" + sizes + "]";
        found.data[tensor.text(8)] = tensor.text(9);
    }
    for (const ProtoFields& port : graph.messages(11)) {
        found.inputs.push_back(port_text(port));
    }
    for (const ProtoFields& port : graph.messages(12)) {
        found.outputs.push_back(port_text(port));
    }
    for (const ProtoFields& text : model.messages(14)) {
        found.texts[text.text(1)] = text.text(2);
    }
    return found;
}

}  // namespace ptp::test
