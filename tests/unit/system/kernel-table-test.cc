// SPDX-License-Identifier: GPL-2.0-only
#include "system/kernels/kernel-table.h"
#include "tests/support/config-error-text.h"
#include "tests/support/scratch-directory.h"

#include <catch2/catch.hpp>

#include <cmath>

using namespace nadi;

namespace
{

KernelTable
ReadKernels(const std::string& text)
{
    const test::ScratchDirectory scratch("kernel-table");
    return KernelTable::Read(scratch.Write("t.csv", text).string());
}

/// What the user reads of a bad table.
std::string
TableErrorOf(const std::string& text)
{
    const test::ScratchDirectory scratch("kernel-table");
    const std::string file = scratch.Write("t.csv", text).string();
    return scratch.WithoutPath(ConfigErrorText([&] { KernelTable::Read(file); }));
}

KernelLaunch
MakeGemm(uint64_t m, uint64_t n, uint64_t k)
{
    return {.op = KernelOp::Gemm, .type = NumberType::Bf16, .m = m, .n = n, .k = k, .tp = 1};
}

} // namespace

TEST_CASE("KernelTable: a row says its time to the picosecond", "[unit][system]")
{
    const KernelTable table = ReadKernels("op,dtype,m,n,k,us\n"
                                          "gemm,bf16,16,64,32,1.234567\n"
                                          "gemm,bf16,32,64,32, 2 \r\n"
                                          "\n"
                                          "gemm,fp8,16,64,32,0.5\n");
    CHECK(table.Find(MakeGemm(16, 64, 32)).time == SimTime::FromPs(1'234'567));
    CHECK(table.Find(MakeGemm(32, 64, 32)).time == SimTime::FromPs(2'000'000));
    KernelLaunch small = MakeGemm(16, 64, 32);
    small.type = NumberType::Fp8;
    CHECK(table.Find(small).time == SimTime::FromPs(500'000));
}

TEST_CASE("KernelTable: between rows logarithms of time and size are linear", "[unit][system]")
{
    // t = 3 m^0.5 is a line in logarithms, so it is met everywhere.
    const KernelTable table = ReadKernels("op,m,us\nnorm,4,6\nnorm,100,30\nnorm,10000,300\n");
    for (const uint64_t m : {4U, 9U, 50U, 100U, 101U, 2500U, 10000U})
    {
        CAPTURE(m);
        const auto answer = table.Find({.op = KernelOp::Norm, .m = m});
        REQUIRE(answer.time);
        const double expected = 3e6 * std::sqrt(double(m));
        CHECK(double(answer.time->Ps()) == Approx(expected).epsilon(1e-6));
    }
}

TEST_CASE("KernelTable: each axis is interpolated, and only surrounding rows are needed",
          "[unit][system]")
{
    // t = m n^2 k: a plane in logarithms. Slices of n have rows at other values of m.
    const KernelTable table = ReadKernels("op,k,n,m,us\n"
                                          "gemm,10,2,1,40\ngemm,10,2,64,2560\n"
                                          "gemm,10,8,2,1280\ngemm,10,8,16,10240\n"
                                          "gemm,10,8,100,64000\n");
    const auto timeOf = [&](uint64_t m, uint64_t n) { return table.Find(MakeGemm(m, n, 10)).time; };
    REQUIRE(timeOf(5, 4));
    CHECK(double(timeOf(5, 4)->Ps()) == Approx(5 * 16 * 10 * 1e6).epsilon(1e-6));
    CHECK(double(timeOf(20, 3)->Ps()) == Approx(20 * 9 * 10 * 1e6).epsilon(1e-6));
    CHECK(!timeOf(1, 4));  // n = 8 has rows from m = 2 on
    CHECK(!timeOf(65, 4)); // and n = 2 none above 64
    CHECK(timeOf(65, 8));
    CHECK(!timeOf(5, 9));
}

TEST_CASE("KernelTable: empty cells do not count, and a row without a type is for any",
          "[unit][system]")
{
    const KernelTable table =
        ReadKernels("op,dtype,m,n,k,batch,context,tp,bytes,us\ngemm,,,,,,,,,7\ncopy,,,,,,,,64,1\n"
                    "gemm,fp8,,,,,,,,3\n");
    CHECK(table.Find(MakeGemm(1, 2, 3)).time == SimTime::FromUs(7));
    KernelLaunch small = MakeGemm(9, 9, 9);
    small.type = NumberType::Fp8;
    CHECK(table.Find(small).time == SimTime::FromUs(3));
    CHECK(table.Find({.op = KernelOp::Copy, .m = 5, .bytes = 64}).time == SimTime::FromUs(1));
}

TEST_CASE("KernelTable: outside it says what it has", "[unit][system]")
{
    const KernelTable table =
        ReadKernels("op,dtype,k,m,us\ngemm,bf16,32,16,1\ngemm,bf16,32,512,9\n");
    CHECK(table.Find(MakeGemm(15, 1, 32)).problem ==
          "there its rows for gemm of bf16 have m from 16 to 512");
    CHECK(table.Find(MakeGemm(513, 1, 32)).problem ==
          "there its rows for gemm of bf16 have m from 16 to 512");
    CHECK(table.Find(MakeGemm(16, 1, 33)).problem ==
          "there its rows for gemm of bf16 have k from 32 to 32");
    CHECK(table.Find({.op = KernelOp::Norm}).problem == "it has no rows for norm");
    KernelLaunch other = MakeGemm(16, 1, 32);
    other.type = NumberType::Fp8;
    CHECK(table.Find(other).problem == "it has no rows for gemm of fp8");
}

TEST_CASE("KernelTable: a bad table is told at its line", "[unit][system]")
{
    const std::string columns = "op, dtype, m, n, k, batch, context, tp, bytes, us";
    const std::string header = "op,dtype,m,us\n";
    CHECK(TableErrorOf("op,mm,us\n") ==
          "t.csv:1: \"mm\" is no column of a kernel table; write some of " + columns);
    CHECK(TableErrorOf("op,m,m,us\n") == "t.csv:1: column m comes twice; remove one");
    CHECK(TableErrorOf("op,m\n") ==
          "t.csv:1: column us is missing; write some of " + columns + ", op and us among them");
    CHECK(TableErrorOf("") ==
          "t.csv: is empty; write a header with some of " + columns + ", and rows");
    CHECK(TableErrorOf(header) == "t.csv:1: has no rows; write one for each measured kernel");
    CHECK(TableErrorOf(header + "gemm,bf16,1,1\nmatmul,bf16,2,1\n") ==
          "t.csv:3: op: \"matmul\" is none; write gemm, grouped-gemm, batched-gemm, "
          "attention-prefill, attention-decode, attention-forward, attention-backward, norm, "
          "elementwise, softmax, optimizer, copy, router or other");
    CHECK(TableErrorOf(header + "gemm,int4,1,1\n") ==
          "t.csv:2: dtype: \"int4\" is none; write bf16, fp16, fp32, fp8, or nothing for any");
    CHECK(TableErrorOf(header + "gemm,bf16,-4,1\n") ==
          "t.csv:2: m: \"-4\" is no whole number from 0 to 2^64 - 1");
    CHECK(TableErrorOf(header + "gemm,bf16,0,1\n") ==
          "t.csv:2: m is 0; write a number from 1, or leave it empty where it does not apply");
    for (const char* us : {"-1", "0", "", "1e99", "nan", "1 us"})
    {
        CHECK(TableErrorOf(header + "gemm,bf16,1," + us + "\n") ==
              "t.csv:2: us: \"" + std::string(us) +
                  "\" is no time; write microseconds above 0, such as 12.5");
    }
    CHECK(TableErrorOf(header + "gemm,bf16,1\n") == "t.csv:2: has 3 cells; the header has 4");
    CHECK(TableErrorOf(header + "gemm,bf16,1,1\ngemm,bf16,2,1\ngemm,bf16,1,2\n") ==
          "t.csv:4: is of the same kernel as line 2; keep one of them");
    CHECK(TableErrorOf(header + "gemm,bf16,1,1\ngemm,bf16,,2\n") ==
          "t.csv:3: gives no size of gemm of bf16, but line 2 gives m; rows of one op and dtype "
          "must fill in the same columns");
    CHECK(ConfigErrorText([] { KernelTable::Read("/no/such.csv"); }) ==
          "/no/such.csv: cannot be read; name a file that exists, no folder, pipe or device");
}
