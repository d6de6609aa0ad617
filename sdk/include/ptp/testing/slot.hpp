// The values that a test passes to a component and receives from it.
#pragma once

#include <ptp/abi.h>
#include <ptp/text.hpp>

#include <ATen/core/Tensor.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ptp::testing {

// A slot of the host: a tensor, strings, token lists, or a tensor list. Copies share the slot.
class Slot {
public:
    Slot() : Slot(at::Tensor()) {}
    Slot(at::Tensor tensor) : element_(PTP_FLOAT), content_(std::make_shared<Content>()) {
        content_->tensor = std::move(tensor);
    }
    Slot(std::vector<std::string> strings) : Slot() {
        element_ = PTP_STRING;
        content_->strings = std::move(strings);
        content_->flat.emplace(std::span<const std::string>(content_->strings));
        content_->text = content_->flat->view();
    }
    Slot(std::vector<std::vector<std::string>> tokens) : Slot() {
        element_ = PTP_TOKENS;
        content_->tokens = std::move(tokens);
        content_->flat.emplace(std::span<const std::vector<std::string>>(content_->tokens));
        content_->text = content_->flat->view();
    }
    Slot(std::vector<at::Tensor> tensors) : Slot() {
        element_ = PTP_TENSOR_LIST;
        resize(tensors.size());
        content_->tensors = std::move(tensors);
        resize(content_->tensors.size());
    }
    // Returns an output slot before the call.
    static Slot empty(ptp_element element) {
        Slot slot;
        slot.element_ = element;
        return slot;
    }

    ptp_element element() const { return element_; }
    bool is_tensor() const { return element_ <= PTP_BYTE; }
    const at::Tensor& tensor() const { return content_->tensor; }
    const std::vector<std::string>& strings() const { return content_->strings; }
    const std::vector<std::vector<std::string>>& tokens() const { return content_->tokens; }
    const std::vector<at::Tensor>& tensors() const { return content_->tensors; }

    // Returns the value passed to the component; it stays the same when the slot moves.
    ptp_value* value() {
        if (element_ == PTP_STRING || element_ == PTP_TOKENS) {
            return reinterpret_cast<ptp_value*>(&content_->text);
        }
        if (element_ == PTP_TENSOR_LIST) {
            return reinterpret_cast<ptp_value*>(&content_->list);
        }
        return reinterpret_cast<ptp_value*>(&content_->tensor);
    }

    void set(const ptp_text& text) {
        if (text.rows == nullptr) {
            content_->strings.clear();
            for (std::size_t i = 0; i < text.string_count; ++i) {
                content_->strings.emplace_back(Strings(text)[i]);
            }
            return;
        }
        const TokenLists lists(text);
        content_->tokens.assign(lists.size(), {});
        for (std::size_t i = 0; i < lists.size(); ++i) {
            for (std::size_t j = 0; j < lists[i].size(); ++j) {
                content_->tokens[i].emplace_back(lists[i][j]);
            }
        }
    }

    void resize(std::size_t count) {
        content_->tensors.resize(count);
        content_->items.clear();
        for (at::Tensor& tensor : content_->tensors) {
            content_->items.push_back(reinterpret_cast<ptp_value*>(&tensor));
        }
        content_->list = {.items = content_->items.data(), .count = count};
    }

private:
    struct Content {
        at::Tensor tensor;
        std::vector<std::string> strings;
        std::vector<std::vector<std::string>> tokens;
        std::optional<detail::FlatText> flat;
        ptp_text text{};
        std::vector<at::Tensor> tensors;
        std::vector<ptp_value*> items;
        ptp_tensor_list list{};
    };

    ptp_element element_;
    std::shared_ptr<Content> content_;
};

using Slots = std::map<std::string, Slot>;  // by stream or port name

}  // namespace ptp::testing
