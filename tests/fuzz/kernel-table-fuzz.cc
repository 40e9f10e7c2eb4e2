// SPDX-License-Identifier: GPL-2.0-only
// Tables of measured kernels, and the kernels that traces name.
#include "system/kernels/kernel-table.h"
#include "tests/fuzz/fuzz-target.h"
#include "tests/fuzz/input-files.h"

namespace nadi::fuzz
{

namespace
{

class KernelTableFuzz : public FuzzTarget
{
  public:
    static constexpr const char* Help = "A table of kernel times as CSV.";

    void Read(const std::string& input) override
    {
        CheckText(input);
        const KernelTable table = KernelTable::Read(m_files.Write("kernels.csv", input).string());
        for (const KernelOp op : {KernelOp::Gemm, KernelOp::AttentionDecode, KernelOp::Copy})
        {
            for (const uint64_t size : {0, 1, 16, 100, 4096})
            {
                CheckFound(table,
                           {.op = op,
                            .type = NumberType::Bf16,
                            .m = size,
                            .n = 4096,
                            .k = size,
                            .batch = size,
                            .context = 1000,
                            .tp = 1,
                            .bytes = size * 1000});
            }
        }
    }

  private:
    static void CheckFound(const KernelTable& table, const KernelLaunch& kernel)
    {
        const KernelTable::Answer answer = table.Find(kernel);
        Require(answer.time.has_value() == answer.problem.empty(), "either a time or a reason");
        Require(!answer.time || *answer.time > SimTime(), "no kernel is free");
    }

    static void CheckText(const std::string& input)
    {
        if (const auto kernels = ParseKernels(input))
        {
            Require(ParseKernels(ToText(*kernels)) == kernels, "what is written is read");
        }
    }

    InputFiles m_files;
};

NADI_REGISTER(FuzzTarget, KernelTableFuzz, "kernel-table");

} // namespace

} // namespace nadi::fuzz
