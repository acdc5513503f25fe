#include "runtime/process/served_box.hpp"

#include <cxxabi.h>
#include <sched.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <exception>
#include <limits>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>

#include <weir/network/box.hpp>
#include <weir/record/errors.hpp>
#include <weir/record/kept_exception.hpp>
#include "runtime/network/leaf_nodes.hpp"
#include "runtime/threads/cpu_mask.hpp"
#include "runtime/threads/cpu_seconds.hpp"

namespace weir::detail::processes {

namespace {

constexpr double shortest_read = 100e-6;  // seconds; a read is 1 % of it

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

// An exception as the other process is to throw it.
struct caught {
  std::string text;
  const char* cause = nullptr;  // null: the box threw
};
caught describe(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const thread_left&) {
    return {"the box called pthread_exit, or was cancelled"};
  } catch (const type_error& e) {
    return {e.what(), "labels"};
  } catch (const std::bad_alloc&) {
    return {"out of memory", "memory"};
  } catch (const std::exception& e) {
    return {e.what() ? e.what() : "an exception whose what() is null"};
  } catch (const std::string& text) {
    return {text};
  } catch (const char* text) {
    return {text ? text : ""};
  } catch (...) {
    const std::type_info* const type = abi::__cxa_current_exception_type();
    return {"an exception of type " + (type ? type_name(*type) : std::string("that is not known"))};
  }
}

const box_spec& single(const network& box) {
  if (const auto* const found = as<box_node>(box)) return *found->spec;
  throw type_error("weir::serve: a network that is not one box cannot be served: " + to_string(box));
}

}  // namespace

// Measures an invocation. A read of CPU time and memory costs 1 us. So there is one at the end alone, and none of a
// short invocation; the time counts from the read before.
struct served_box::used {
  double& cpu_before;
  double began = now(), elsewhere = 0;  // sending what the box emitted

  void add_to(message_writer& m) const {
    const double seconds = now() - began - elsewhere;
    m.seconds("seconds", std::max(0.0, seconds));
    if (seconds < shortest_read) return;
    rusage whole{};
    getrusage(RUSAGE_SELF, &whole);
    const double cpu = cpu_seconds_in(whole);
    m.seconds("cpu", std::max(0.0, cpu - std::exchange(cpu_before, cpu)))
        .number("peak", static_cast<std::uint64_t>(whole.ru_maxrss) * 1024);
  }
};

// Where a box emits to.
class served_box::emission_to final : public emission {
 public:
  // For this record of the call.
  emission_to(served_box& of, connection& to, used& timing, std::size_t record)
      : of_(of), to_(to), timing_(timing), record_(record), emitter_(of.emitters_[record]) {}
  ~emission_to() { emitter_.end(); }

  record_body* build(const labelled_word* words, std::size_t count) override {
    const auto& variants = of_.spec_.variants;
    for (std::size_t v = 0; v < variants.size(); ++v) {
      if (variants[v].size() != count) continue;
      std::array<slot_word, max_given> given{};
      if (!is_of(variants[v], words, count, given.data())) continue;
      const shape* const s = shape::of(variants[v]);
      record_body* const body = make_body(s);
      for (std::size_t i = 0; i < count; ++i) body->slots()[s->find(variants[v][i]->key)] = given[i];
      variant_ = v;
      return body;
    }
    std::string labels;
    for (std::size_t i = 0; i < count; ++i) labels += (labels.empty() ? "" : ", ") + weir::to_string(*words[i].info());
    throw type_error("the box emitted {" + labels + "}, which is none of its declared outputs");
  }

  void deliver(record_body* body) override {
    const owned_body owned(body);
    const double before = now();
    message_writer m = of_.answer(message_kind::result);
    if (of_.is_batch_) m.number("record", record_);
    of_.write_values(m, variant_, [&](std::size_t i) -> const slot_word& {
      return body->slots()[body->shape->find(of_.spec_.variants[variant_][i]->key)];
    });
    to_.send(m);
    timing_.elsewhere += now() - before;
  }

  emitter& open() override { return emitter_.begin(*this); }
  std::stop_token stop() const override { return {}; }

 private:
  static bool is_of(const std::vector<const label_info*>& labels, const labelled_word* words, std::size_t count,
                    slot_word* given) {
    for (std::size_t i = 0; i < count; ++i) {
      std::size_t w = 0;
      while (w < count && !(words[w].key == labels[i]->key &&
                            (words[w].type == labels[i]->type ||
                             (words[w].type && labels[i]->type && known_type(*words[w].type) == labels[i]->type))))
        ++w;
      if (w == count) return false;
      given[i] = words[w].word;
    }
    return true;
  }

  served_box& of_;
  connection& to_;
  used& timing_;
  const std::size_t record_;
  served_emitter& emitter_;
  std::size_t variant_ = 0;
};

served_box::served_box(const network& box) : served_box(box, single(box).name) {}
served_box::served_box(const network& box, std::string name)
    : kept_(box), spec_(single(kept_)), name_(std::move(name)), labels_(spec_, name_), takes_(shape::of(spec_.takes)) {
  if (spec_.initialiser || spec_.is_fold())
    throw type_error("weir::serve: " + spec_.name + " is a " + (spec_.initialiser ? "source" : "fold") +
                     ", expected a box");
  for (const label_info* const l : spec_.takes) offsets_.push_back(record_body::offset_of(takes_->find(l->key)));
  offsets_.push_back(0);  // values go to the other process
}

served_box::~served_box() {
  if (value_) spec_.keeps->end(value_);
}

template <class Word>
void served_box::write_values(message_writer& to, std::size_t variant, const Word& word) const {
  const auto& forms = labels_.variants()[variant];
  to.number("variant", variant);
  to.begin_values();
  for (std::size_t i = 0; i < forms.size(); ++i) forms[i].write(word(i), to);
  to.end_values();
}

record_body* served_box::input_of(const json_value& given, std::span<const arrived_block> blocks) const {
  read_values values(labels_.takes());
  values.read(given, blocks);
  record_body* const body = make_body(takes_);
  for (std::size_t i = 0; i < spec_.takes.size(); ++i) body->at_offset(offsets_[i]) = values.words()[i];
  values.placed();
  return body;
}

std::vector<owned_body> served_box::inputs_of(const received& m) const {
  const json_value values = m.head.list("values");
  std::vector<owned_body> all;
  if (!is_batch_) {
    all.emplace_back(input_of(values, m.blocks));
    return all;
  }
  if (!spec_.code->call_batch) throw protocol_error("a call for several records of a box that takes one");
  if (values.size() == 0 || values.size() != m.head.number("records"))
    throw protocol_error("a call for " + std::to_string(m.head.number("records")) + " records with the values of " +
                         std::to_string(values.size()));
  values.each([&](const json_value& one) {
    if (one.is() != json_value::sort::list) throw protocol_error("the values of a record are no list");
    all.emplace_back(input_of(one, m.blocks));
  });
  return all;
}

message_writer served_box::answer(message_kind kind) const {
  message_writer m(kind);
  m.number("call", call_);
  return m;
}

void served_box::call(const received& m, int cores, connection& to) {
  call_ = m.head.number("call");
  is_batch_ = m.head.find("records").has_value();
  std::vector<owned_body> inputs;
  const used timing{cpu_seconds_};
  try {
    inputs = inputs_of(m);
    while (emitters_.size() < inputs.size()) emitters_.emplace_back();
    if (spec_.keeps && !value_) value_ = spec_.keeps->make(spec_.keeps->maker.get());
  } catch (const protocol_error&) {
    throw;
  } catch (...) {
    to.reset_sent();
    return fail(to, timing, kept_exception());
  }
  to.reset_sent();
  invoke(inputs, cores, to);
}

void served_box::fail(connection& to, const used& timing, const std::exception_ptr& thrown) const {
  const caught why = describe(thrown);
  constexpr std::size_t most = 4000;
  message_writer m = answer(message_kind::error);
  m.text("text", std::string_view(why.text).substr(0, most));
  if (why.cause) m.text("cause", why.cause);
  timing.add_to(m);
  to.send(m);
}

// The words that a callable gave for the records of a call, until they are sent.
class served_box::given_words {
 public:
  given_words(const box_spec& of, std::size_t records)
      : of_(of),
        labels_(of.variants.empty() ? 0 : of.variants[0].size()),
        words_(records * labels_),
        gave_(std::make_unique<bool[]>(records)) {}
  ~given_words() {
    for (std::size_t r = 0; r < counts_.size(); ++r)
      for (std::size_t i = 0; i < counts_[r]; ++i)
        if (const value_type* const type = of_.variants[0][i]->type; type && !type->inlined)
          let_go(of_record(r)[i], *type);
  }
  given_words(const given_words&) = delete;

  slot_word* of_record(std::size_t record) { return words_.data() + record * labels_; }
  bool* gave() { return gave_.get(); }
  bool gave(std::size_t record) const { return gave_[record]; }
  // After the call: these own what was given.
  void own(std::span<const invocation> each) {
    for (std::size_t r = 0; r < each.size(); ++r)
      counts_.push_back(gave_[r] ? labels_ : static_cast<std::size_t>(each[r].given_count));
  }

 private:
  const box_spec& of_;
  const std::size_t labels_;
  std::vector<slot_word> words_;
  std::unique_ptr<bool[]> gave_;
  std::vector<std::size_t> counts_;
};

void served_box::invoke(std::span<const owned_body> inputs, int cores, connection& to) {
  const grant granted(cores, spec_.code->takes_grant ? permitted_units() : std::vector<int>());
  given_words given(spec_, inputs.size());
  used timing{cpu_seconds_};
  std::deque<emission_to> outs;
  std::vector<invocation> each;
  for (std::size_t r = 0; r < inputs.size(); ++r)
    each.push_back({inputs[r].get(), offsets_.data(), given.of_record(r), 0, &granted,
                    &outs.emplace_back(*this, to, timing, r), value_});
  std::exception_ptr thrown;
  try {
    if (is_batch_)
      spec_.code->call_batch(spec_.callable.get(), each, given.gave());
    else
      *given.gave() = spec_.code->call(spec_.callable.get(), each[0]);
  } catch (...) {
    thrown = kept_exception();
    std::fill_n(given.gave(), each.size(), false);
  }
  try {
    given.own(each);
    if (thrown) std::rethrow_exception(thrown);
    message_writer m = answer(message_kind::done);
    timing.add_to(m);
    const auto write = [&](std::size_t r) {
      write_values(m, 0, [&](std::size_t i) -> const slot_word& { return given.of_record(r)[i]; });
    };
    if (!is_batch_ && given.gave(0)) write(0);
    if (is_batch_) {
      m.begin_list("results");
      for (std::size_t r = 0; r < each.size(); ++r) {
        if (!given.gave(r)) continue;
        m.next_value();
        m.head() += "{\"record\":" + std::to_string(r);
        write(r);
        m.head() += '}';
      }
      m.end_values();
    }
    to.send(m);
  } catch (const connection_closed&) {
    throw;
  } catch (...) {
    fail(to, timing, kept_exception());
  }
}

}  // namespace weir::detail::processes
