// SPDX-License-Identifier: GPL-2.0-only
#include "system/library/msccl-file/msccl-order.h"

#include "common/error.h"
#include "common/text.h"

#include <fmt/format.h>

namespace nadi
{

namespace
{

/// Steps as numbers from 0, in the order of GPUs, thread blocks and steps.
class StepNumbers
{
  public:
    explicit StepNumbers(const MscclAlgorithm& algorithm)
        : m_firstOfBlock(algorithm.gpus.size())
    {
        for (uint32_t gpu = 0; gpu < algorithm.gpus.size(); ++gpu)
        {
            const std::vector<MscclThreadBlock>& blocks = algorithm.gpus[gpu].blocks;
            for (uint32_t block = 0; block < blocks.size(); ++block)
            {
                m_firstOfBlock[gpu].push_back(m_steps.size());
                for (uint32_t step = 0; step < blocks[block].steps.size(); ++step)
                {
                    m_steps.push_back({gpu, {block, step}});
                }
            }
        }
    }

    size_t Count() const
    {
        return m_steps.size();
    }

    size_t NumberOf(const MscclGlobalStep& step) const
    {
        return m_firstOfBlock[step.gpu][step.step.block] + step.step.step;
    }

    const MscclGlobalStep& StepAt(size_t number) const
    {
        return m_steps[number];
    }

  private:
    std::vector<std::vector<size_t>> m_firstOfBlock; // by GPU
    std::vector<MscclGlobalStep> m_steps;
};

/// What waits for what, and the order that follows.
class StepOrder
{
  public:
    StepOrder(const MscclAlgorithm& algorithm, const std::vector<MscclMessage>& messages)
        : m_algorithm(algorithm)
        , m_numbers(algorithm)
        , m_followers(m_numbers.Count())
        , m_waits(m_numbers.Count())
    {
        for (size_t number = 0; number < m_numbers.Count(); ++number)
        {
            AddLocalWaits(m_numbers.StepAt(number));
        }
        for (const MscclMessage& message : messages)
        {
            AddWait(message.sender, message.receiver);
        }
    }

    std::vector<MscclGlobalStep> Find()
    {
        // This is Kahn's algorithm: steps that wait for nothing come first, and each step makes
        // those ready that had only this step left to wait for. The list of ready steps, in the
        // order in which they became ready, is the result. Steps of a circle, and those that wait
        // for one, never get ready.
        std::vector<size_t> ready;
        for (size_t number = 0; number < m_numbers.Count(); ++number)
        {
            if (m_waits[number] == 0)
            {
                ready.push_back(number);
            }
        }
        for (size_t at = 0; at < ready.size(); ++at) // grows on the way
        {
            for (const size_t follower : m_followers[ready[at]])
            {
                if (--m_waits[follower] == 0)
                {
                    ready.push_back(follower);
                }
            }
        }
        CheckComplete(ready.size());
        std::vector<MscclGlobalStep> order;
        for (const size_t number : ready)
        {
            order.push_back(m_numbers.StepAt(number));
        }
        return order;
    }

  private:
    void AddLocalWaits(const MscclGlobalStep& step)
    {
        if (step.step.step > 0)
        {
            AddWait({step.gpu, {step.step.block, step.step.step - 1}}, step);
        }
        if (const std::optional<MscclStepId>& first = m_algorithm.StepAt(step).waitsFor)
        {
            // The reader could not check this, since a step may wait for one that comes later in
            // the file.
            CheckExists(step, *first);
            AddWait({step.gpu, *first}, step);
        }
    }

    void AddWait(const MscclGlobalStep& first, const MscclGlobalStep& second)
    {
        const size_t follower = m_numbers.NumberOf(second);
        m_followers[m_numbers.NumberOf(first)].push_back(follower);
        ++m_waits[follower];
    }

    void CheckExists(const MscclGlobalStep& step, const MscclStepId& first) const
    {
        const std::vector<MscclThreadBlock>& blocks = m_algorithm.gpus[step.gpu].blocks;
        if (first.block >= blocks.size() || first.step >= blocks[first.block].steps.size())
        {
            throw ConfigError(m_algorithm.Where(m_algorithm.StepAt(step).line),
                              fmt::format("<step>: waits for step {} of thread block {}, which GPU "
                                          "{} does not have; write depid and deps of one that it "
                                          "has",
                                          first.step,
                                          first.block,
                                          step.gpu));
        }
    }

    void CheckComplete(size_t done) const
    {
        // The first step that never got ready stands in a circle, or waits for one.
        for (size_t number = 0; done < m_numbers.Count() && number < m_numbers.Count(); ++number)
        {
            if (m_waits[number] > 0)
            {
                throw ConfigError(
                    m_algorithm.Where(m_algorithm.StepAt(m_numbers.StepAt(number)).line),
                    fmt::format("<step>: it and {} wait for each other in a circle, so the "
                                "algorithm never ends; change the order of steps, or depid and "
                                "deps",
                                CountText(m_numbers.Count() - done - 1, "other step")));
            }
        }
    }

    const MscclAlgorithm& m_algorithm;
    StepNumbers m_numbers;
    std::vector<std::vector<size_t>> m_followers;
    std::vector<size_t> m_waits; // how many a step has still to wait for
};

} // namespace

std::vector<MscclGlobalStep>
OrderMscclSteps(const MscclAlgorithm& algorithm, const std::vector<MscclMessage>& messages)
{
    return StepOrder(algorithm, messages).Find();
}

} // namespace nadi
