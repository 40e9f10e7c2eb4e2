// SPDX-License-Identifier: GPL-2.0-only
#include "system/kernels/kernel-launch.h"

#include <algorithm>
#include <charconv>
#include <system_error>

namespace nadi
{

namespace
{

/// The words for KernelOp, in the order of the enumeration. ToText and FindWord rely on this order,
/// here and in NUMBER_TYPES.
constexpr std::array<std::string_view, 14> KERNEL_OPS{"gemm",
                                                      "grouped-gemm",
                                                      "batched-gemm",
                                                      "attention-prefill",
                                                      "attention-decode",
                                                      "attention-forward",
                                                      "attention-backward",
                                                      "norm",
                                                      "elementwise",
                                                      "softmax",
                                                      "optimizer",
                                                      "copy",
                                                      "router",
                                                      "other"};

constexpr std::array<std::string_view, 5> NUMBER_TYPES{"", "bf16", "fp16", "fp32", "fp8"};

/// The text of a kernel has this size besides those that are columns of tables.
constexpr KernelSize OPERATIONS{"operations", &KernelLaunch::operations};

template <class Value, size_t Size>
std::optional<Value>
FindWord(const std::array<std::string_view, Size>& words, std::string_view word)
{
    const auto found = std::ranges::find(words, word);
    return found == words.end() ? std::nullopt
                                : std::optional(static_cast<Value>(found - words.begin()));
}

void
AppendSize(std::string& text, const KernelLaunch& kernel, const KernelSize& size)
{
    if (kernel.*size.value != 0)
    {
        text += ' ';
        text += size.name;
        text += '=' + std::to_string(kernel.*size.value);
    }
}

/// Takes off what is before the next `separator`, and it.
std::string_view
TakeUntil(std::string_view& text, char separator)
{
    // A text without a separator is taken as a whole.
    const size_t end = std::min(text.find(separator), text.size());
    const std::string_view taken = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return taken;
}

/// "m=16"; whether it is one.
bool
ReadSize(KernelLaunch& kernel, std::string_view word)
{
    const std::string_view name = TakeUntil(word, '=');
    const auto found = std::ranges::find(KERNEL_SIZES, name, &KernelSize::name);
    if (found == KERNEL_SIZES.end() && name != OPERATIONS.name)
    {
        return false;
    }
    uint64_t& value = kernel.*(found == KERNEL_SIZES.end() ? OPERATIONS : *found).value;
    const char* const last = word.data() + word.size();
    const auto [end, error] = std::from_chars(word.data(), last, value);
    // `operations` and `bytes` become Flops and Bytes, which are signed.
    return error == std::errc() && end == last && value <= INT64_MAX;
}

std::optional<KernelLaunch>
ParseKernel(std::string_view text)
{
    const std::optional<KernelOp> op = FindKernelOp(TakeUntil(text, ' '));
    if (!op)
    {
        return std::nullopt;
    }
    KernelLaunch kernel{.op = *op};
    while (!text.empty())
    {
        const std::string_view word = TakeUntil(text, ' ');
        if (word.empty())
        {
            continue; // several spaces in a row
        }
        // Type and sizes may come in any order.
        const std::optional<NumberType> type = FindNumberType(word);
        if (type)
        {
            kernel.type = *type;
        }
        else if (!ReadSize(kernel, word))
        {
            return std::nullopt;
        }
    }
    return kernel;
}

} // namespace

std::string_view
ToText(KernelOp op)
{
    return KERNEL_OPS[static_cast<size_t>(op)];
}

std::optional<KernelOp>
FindKernelOp(std::string_view word)
{
    return FindWord<KernelOp>(KERNEL_OPS, word);
}

std::string
ListKernelOps()
{
    std::string text;
    for (const std::string_view op : KERNEL_OPS)
    {
        text += text.empty() ? "" : op == KERNEL_OPS.back() ? " or " : ", ";
        text += op;
    }
    return text;
}

std::string_view
ToText(NumberType type)
{
    return NUMBER_TYPES[static_cast<size_t>(type)];
}

std::optional<NumberType>
FindNumberType(std::string_view word)
{
    return FindWord<NumberType>(NUMBER_TYPES, word);
}

std::string
ToText(const KernelLaunch& kernel)
{
    std::string text(ToText(kernel.op));
    if (kernel.type != NumberType::None)
    {
        text += ' ';
        text += ToText(kernel.type);
    }
    for (const KernelSize& size : KERNEL_SIZES)
    {
        AppendSize(text, kernel, size);
    }
    AppendSize(text, kernel, OPERATIONS);
    return text;
}

std::string
ToText(const std::vector<KernelLaunch>& kernels)
{
    std::string text;
    for (const KernelLaunch& kernel : kernels)
    {
        text += (text.empty() ? "" : "; ") + ToText(kernel);
    }
    return text;
}

std::optional<std::vector<KernelLaunch>>
ParseKernels(std::string_view text)
{
    std::vector<KernelLaunch> kernels;
    while (!text.empty())
    {
        std::string_view one = TakeUntil(text, ';');
        one.remove_prefix(std::min(one.find_first_not_of(' '), one.size()));
        const std::optional<KernelLaunch> kernel = ParseKernel(one);
        if (!kernel)
        {
            return std::nullopt;
        }
        kernels.push_back(*kernel);
    }
    return kernels;
}

} // namespace nadi
