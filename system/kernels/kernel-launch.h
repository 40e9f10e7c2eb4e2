// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nadi
{

/// What a kernel does.
enum class KernelOp : uint8_t
{
    Gemm,
    GroupedGemm, ///< experts: the rows of each are multiplied by matrices of its own
    BatchedGemm,
    AttentionPrefill, ///< sequences with several new tokens, over a cache
    AttentionDecode,  ///< sequences with one new token, over a cache
    AttentionForward, ///< of a step of training, over whole sequences
    AttentionBackward,
    Norm,
    Elementwise,
    Softmax,
    Optimizer,
    Copy,
    Router,
    Other,
};

/// The types of the numbers that a kernel works on.
enum class NumberType : uint8_t
{
    None, ///< not said
    Bf16,
    Fp16,
    Fp32,
    Fp8,
};

/// A kernel on one rank: what it does, and to how much. A size of 0 does not apply.
///
/// | op | m | n | k | batch | context |
/// |---|---|---|---|---|---|
/// | gemm, router | rows | columns of the result | inner size | | |
/// | grouped-gemm | rows of all experts | columns | inner size | distinct experts | |
/// | batched-gemm | rows of one product | columns | inner size | products | |
/// | attention-prefill | new tokens in all | query heads | size of a key | sequences | tokens of a
/// sequence at its end, in the mean |
/// | attention-decode | | query heads | size of a key | sequences | tokens that each attends to, in
/// the mean |
/// | attention-forward, -backward | tokens | query heads | size of a key | sequences | tokens that
/// each attends to |
/// | others | rows, or numbers | columns | | | |
struct KernelLaunch
{
    KernelOp op = KernelOp::Other;
    NumberType type = NumberType::None;
    uint64_t m = 0;
    uint64_t n = 0;
    uint64_t k = 0;
    uint64_t batch = 0;
    uint64_t context = 0;
    uint64_t tp = 0;         ///< degree of tensor parallelism that cut it
    uint64_t bytes = 0;      ///< memory traffic
    uint64_t operations = 0; ///< no column of tables

    auto operator<=>(const KernelLaunch&) const = default;
};

/// A size of kernels, by the name that tables give it.
struct KernelSize
{
    std::string_view name;
    uint64_t KernelLaunch::*value;
};

/// Those that may be columns of a table. In the order in which tables interpolate: sizes that
/// models fix come first.
inline constexpr std::array<KernelSize, 7> KERNEL_SIZES{{{"tp", &KernelLaunch::tp},
                                                         {"k", &KernelLaunch::k},
                                                         {"n", &KernelLaunch::n},
                                                         {"batch", &KernelLaunch::batch},
                                                         {"context", &KernelLaunch::context},
                                                         {"m", &KernelLaunch::m},
                                                         {"bytes", &KernelLaunch::bytes}}};

/// "grouped-gemm".
std::string_view ToText(KernelOp op);
std::optional<KernelOp> FindKernelOp(std::string_view word);
/// "gemm, grouped-gemm, ... or other".
std::string ListKernelOps();

/// "bf16"; "" for None.
std::string_view ToText(NumberType type);
/// None of the types: nothing. "" is NumberType::None.
std::optional<NumberType> FindNumberType(std::string_view word);

/// "gemm bf16 k=4096 n=4096 m=16 bytes=1 operations=2": what does not apply is left out.
std::string ToText(const KernelLaunch& kernel);

/// Kernels that run one after the other, as an attribute of a trace says them: texts of kernels
/// with "; " between them.
std::string ToText(const std::vector<KernelLaunch>& kernels);

/// Nothing: the text is none of kernels.
std::optional<std::vector<KernelLaunch>> ParseKernels(std::string_view text);

} // namespace nadi
