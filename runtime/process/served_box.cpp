#include "runtime/process/served_box.hpp"

#include <cxxabi.h>
#include <sched.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <exception>
#include <limits>
#include <new>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>

#include <weir/network/box.hpp>
#include <weir/record/errors.hpp>

namespace weir::detail::processes {

namespace {

constexpr double shortest_read = 100e-6;  // seconds; a read is 1 % of it

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

std::vector<int> own_cpus() {
  std::vector<int> all;
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) != 0) return all;
  for (int i = 0; i < CPU_SETSIZE; ++i)
    if (CPU_ISSET(i, &set)) all.push_back(i);
  return all;
}

// The exception that is being handled, as the other process is to throw it.
struct caught {
  std::string text;
  const char* cause = nullptr;  // null: the box threw
};
caught describe() {
  try {
    throw;
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
  try {
    return spec_of(box);
  } catch (const std::bad_cast&) {
    throw type_error("weir::serve: a network that is not one box cannot be served: " + to_string(box));
  }
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
    const auto in_seconds = [](const timeval& t) {
      return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
    };
    const double cpu = in_seconds(whole.ru_utime) + in_seconds(whole.ru_stime);
    m.seconds("cpu", std::max(0.0, cpu - std::exchange(cpu_before, cpu)))
        .number("peak", static_cast<std::uint64_t>(whole.ru_maxrss) * 1024);
  }
};

// Where a box emits to.
class served_box::emission_to final : public emission {
 public:
  emission_to(served_box& of, connection& to, used& timing) : of_(of), to_(to), timing_(timing) {}
  ~emission_to() { of_.emitter_.end(); }

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
    of_.write_values(m, variant_, [&](std::size_t i) -> const slot_word& {
      return body->slots()[body->shape->find(of_.spec_.variants[variant_][i]->key)];
    });
    to_.send(m);
    timing_.elsewhere += now() - before;
  }

  emitter& open() override { return of_.emitter_.begin(*this); }
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

record_body* served_box::input_of(const received& m) const {
  read_values values(labels_.takes());
  values.read(m.head.list("values"), m.blocks);
  record_body* const body = make_body(takes_);
  for (std::size_t i = 0; i < spec_.takes.size(); ++i) body->at_offset(offsets_[i]) = values.words()[i];
  values.placed();
  return body;
}

message_writer served_box::answer(message_kind kind) const {
  message_writer m(kind);
  m.number("call", call_);
  return m;
}

void served_box::call(const received& m, int cores, connection& to) {
  call_ = m.head.number("call");
  owned_body input;
  const used timing{cpu_seconds_};
  try {
    input.reset(input_of(m));
    if (spec_.keeps && !value_) value_ = spec_.keeps->make(spec_.keeps->maker.get());
  } catch (const protocol_error&) {
    throw;
  } catch (...) {
    to.reset_sent();
    return fail(to, timing);
  }
  to.reset_sent();
  invoke(input.get(), cores, to);
}

void served_box::fail(connection& to, const used& timing) const {
  const caught why = describe();
  constexpr std::size_t most = 4000;
  message_writer m = answer(message_kind::error);
  m.text("text", std::string_view(why.text).substr(0, most));
  if (why.cause) m.text("cause", why.cause);
  timing.add_to(m);
  to.send(m);
}

void served_box::invoke(record_body* input, int cores, connection& to) {
  const grant granted(cores, spec_.code->takes_grant ? own_cpus() : std::vector<int>());
  std::array<slot_word, max_given> words{};
  invocation i{input, offsets_.data(), words.data(), 0, &granted, nullptr, value_};
  used timing{cpu_seconds_};
  emission_to out(*this, to, timing);
  i.out = &out;
  bool gave = false;
  std::exception_ptr thrown;
  try {
    gave = spec_.code->call(spec_.callable.get(), i);
  } catch (...) {
    thrown = std::current_exception();
  }
  const std::size_t given = gave ? spec_.variants[0].size() : static_cast<std::size_t>(i.given_count);
  struct owned_words {
    const std::vector<std::vector<const label_info*>>& variants;
    const slot_word* words;
    std::size_t count;
    ~owned_words() {
      for (std::size_t i = 0; i < count; ++i)
        if (const value_type* const type = variants[0][i]->type; type && !type->inlined) let_go(words[i], *type);
    }
  } const owned{spec_.variants, words.data(), given};
  try {
    if (thrown) std::rethrow_exception(thrown);
    message_writer m = answer(message_kind::done);
    timing.add_to(m);
    if (gave) write_values(m, 0, [&](std::size_t i) -> const slot_word& { return words[i]; });
    to.send(m);
  } catch (const connection_closed&) {
    throw;
  } catch (...) {
    fail(to, timing);
  }
}

}  // namespace weir::detail::processes
