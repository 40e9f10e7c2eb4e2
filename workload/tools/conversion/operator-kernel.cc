// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/conversion/operator-kernel.h"

#include "workload/tools/conversion/pytorch-call.h"
#include "workload/tools/fitting/kernel-kind.h"

#include <nlohmann/json.hpp>

#include <array>
#include <cstdint>
#include <vector>

namespace nadi
{

namespace
{

// The sum of two such numbers stays in 64 bits.
constexpr uint64_t MOST_WORK = uint64_t{1} << 62;

struct TensorShape
{
    std::vector<uint64_t> sizes;
    uint64_t elementBytes = 0;
    NumberType type = NumberType::None;
};

/// What "Tensor(c10::Half)" has in its brackets; empty for what is no such text.
std::string_view
FindElementName(std::string_view type)
{
    constexpr std::string_view start = "Tensor(";
    return type.starts_with(start) && type.ends_with(')')
               ? type.substr(start.size(), type.size() - start.size() - 1)
               : std::string_view();
}

NumberType
FindNumberType(std::string_view element)
{
    return element.ends_with("BFloat16")                      ? NumberType::Bf16
           : element.ends_with("Half")                        ? NumberType::Fp16
           : element.find("Float8") != std::string_view::npos ? NumberType::Fp8
           : element == "float"                               ? NumberType::Fp32
                                                              : NumberType::None;
}

/// A product, absent where it passes what a trace can hold.
std::optional<uint64_t>
Multiply(std::initializer_list<uint64_t> factors)
{
    uint64_t product = 1;
    for (const uint64_t factor : factors)
    {
        if (factor != 0 && product > MOST_WORK / factor)
        {
            return std::nullopt;
        }
        product *= factor;
    }
    return product;
}

/// Nothing where there are more than a trace can hold.
std::optional<uint64_t>
CountElements(const TensorShape& tensor)
{
    uint64_t count = 1;
    for (const uint64_t size : tensor.sizes)
    {
        const std::optional<uint64_t> next = Multiply({count, size});
        if (!next)
        {
            return std::nullopt;
        }
        count = *next;
    }
    return count;
}

/// The tensor of a shape and a type; nothing for what is none.
std::optional<TensorShape>
ReadTensorShape(const nlohmann::json& shape, const nlohmann::json& type)
{
    // Scalars, such as the factors of aten::addmm, have an empty shape. They move next to nothing.
    if (!shape.is_array() || shape.empty() || !type.is_string())
    {
        return std::nullopt;
    }
    TensorShape tensor;
    for (const nlohmann::json& size : shape)
    {
        if (!size.is_number_unsigned())
        {
            return std::nullopt;
        }
        tensor.sizes.push_back(size.get<uint64_t>());
    }
    const std::string_view element = FindElementName(type.get_ref<const std::string&>());
    const std::optional<uint64_t> bytes = FindElementBytes(element);
    if (!bytes)
    {
        return std::nullopt;
    }
    tensor.elementBytes = *bytes;
    tensor.type = FindNumberType(element);
    return tensor;
}

/// Shapes of tensors alone. Empty where there are not as many types as shapes.
std::vector<TensorShape>
ReadTensorShapes(const PytorchValues& values)
{
    const auto parse = [](const std::string& text)
    { return nlohmann::json::parse(text, nullptr, /* allow_exceptions */ false); };
    const nlohmann::json shapes = parse(values.shapes);
    const nlohmann::json types = parse(values.types);
    std::vector<TensorShape> tensors;
    if (shapes.is_array() && types.is_array() && shapes.size() == types.size())
    {
        for (size_t index = 0; index < shapes.size(); ++index)
        {
            if (auto tensor = ReadTensorShape(shapes[index], types[index]))
            {
                tensors.push_back(std::move(*tensor));
            }
        }
    }
    return tensors;
}

/// The last two tensors of the inputs are multiplied, what is before them is added. Nothing where
/// their shapes do not fit. The right matrix and the product are taken to have elements of the same
/// size as the left matrix.
std::optional<KernelLaunch>
TellProduct(const std::vector<TensorShape>& inputs)
{
    if (inputs.size() < 2)
    {
        return std::nullopt;
    }
    const TensorShape& left = inputs[inputs.size() - 2];
    const TensorShape& right = inputs[inputs.size() - 1];
    const size_t rank = left.sizes.size();
    if ((rank != 2 && rank != 3) || right.sizes.size() != rank ||
        left.sizes[rank - 1] != right.sizes[rank - 2] ||
        (rank == 3 && left.sizes[0] != right.sizes[0]))
    {
        return std::nullopt;
    }
    const uint64_t batch = rank == 3 ? left.sizes[0] : 1;
    KernelLaunch kernel{.op = rank == 3 ? KernelOp::BatchedGemm : KernelOp::Gemm,
                        .type = left.type,
                        .m = left.sizes[rank - 2],
                        .n = right.sizes[rank - 1],
                        .k = left.sizes[rank - 1],
                        .batch = rank == 3 ? batch : 0};
    const auto operations = Multiply({2, batch, kernel.m, kernel.n, kernel.k});
    const auto read = Multiply({batch, kernel.k, kernel.m + kernel.n, left.elementBytes});
    const auto written = Multiply({batch, kernel.m, kernel.n, left.elementBytes});
    if (!operations || !read || !written)
    {
        return std::nullopt;
    }
    kernel.operations = *operations;
    kernel.bytes = *read + *written;
    return kernel;
}

/// Each tensor counts as read or written once. The last dimension of the first input is its
/// columns, all others together are its rows.
std::optional<KernelLaunch>
TellTraffic(KernelOp kind,
            const std::vector<TensorShape>& inputs,
            const std::vector<TensorShape>& outputs)
{
    if (inputs.empty())
    {
        return std::nullopt;
    }
    KernelLaunch kernel{.op = kind, .type = inputs.front().type};
    for (const std::vector<TensorShape>* const tensors : {&inputs, &outputs})
    {
        for (const TensorShape& tensor : *tensors)
        {
            const auto elements = CountElements(tensor);
            const auto bytes = elements ? Multiply({*elements, tensor.elementBytes}) : std::nullopt;
            if (!bytes || kernel.bytes > MOST_WORK - *bytes)
            {
                return std::nullopt;
            }
            kernel.bytes += *bytes;
        }
    }
    // A shape is never empty (ReadTensorShape), and the loop above has returned where elements are
    // too many to be counted.
    kernel.n = inputs.front().sizes.back();
    kernel.m = kernel.n == 0 ? 0 : *CountElements(inputs.front()) / kernel.n;
    return kernel;
}

} // namespace

std::optional<KernelLaunch>
TellKernel(const PytorchHostNode& launcher, std::string_view kernelName)
{
    static constexpr std::array<std::string_view, 4> PRODUCTS{
        "aten::mm", "aten::addmm", "aten::bmm", "aten::baddbmm"};
    const KernelOp kind = FindKernelKind(kernelName);
    const bool isProduct = std::ranges::find(PRODUCTS, launcher.name) != PRODUCTS.end();
    const bool isCopy = launcher.name == "aten::copy_";
    // An operator may launch other kernels beside the one that it is named for, such as a memset.
    // The shapes of the operator are not those of such a kernel.
    if (isProduct != (kind == KernelOp::Gemm) || (kind == KernelOp::Copy && !isCopy))
    {
        return std::nullopt;
    }
    const std::vector<TensorShape> inputs = ReadTensorShapes(launcher.inputs);
    const std::optional<KernelLaunch> kernel =
        isProduct ? TellProduct(inputs)
                  : TellTraffic(kind, inputs, ReadTensorShapes(launcher.outputs));
    return kernel && kernel->bytes > 0 ? kernel : std::nullopt;
}

} // namespace nadi
