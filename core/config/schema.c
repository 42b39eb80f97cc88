/* The option tables of the core. */
#include "config/schema.h"

#include <string.h>

#include "edgefw/instance.h"

#define INT    EDGEFW_OPTION_INT
#define REAL   EDGEFW_OPTION_REAL
#define TEXT   EDGEFW_OPTION_TEXT
#define BOOL   EDGEFW_OPTION_BOOL
#define CHOICE EDGEFW_OPTION_CHOICE
#define PATH   EDGEFW_OPTION_PATH
#define INTS   EDGEFW_OPTION_INT_LIST
#define TEXTS  EDGEFW_OPTION_TEXT_LIST
#define PATHS  EDGEFW_OPTION_PATH_LIST
#define WHOLE  9007199254740992.0 /* 2^53: bounds are doubles */
#define MOST   1e9
#define END                                                                                        \
  { 0 }

static const edgefw_option experiment[] = {
    {"name", TEXT, "", NULL, "Names the run directory; empty: the file's name without .ini.", 0, 0},
    {"seed", INT, "1234", NULL, "Seed of parameters, training instances and sampling.", 0, WHOLE},
    {"device", TEXT, "auto", NULL, "Device plugin that computes; auto: the fastest one here.", 0,
     0},
    {"precision", CHOICE, "auto", EDGEFW__PRECISION_CHOICES,
     "Factors of matrix products, where the device has a choice; auto: tf32 if it has that, else "
     "fp32.",
     0, 0},
    {"threads", INT, "0", NULL, "Number of threads; 0: all usable cores.", 0, 1024},
    {"include", PATH, NULL, NULL,
     "File whose keys come before this file's; may be given several times.", 0, 0},
    END};

static const edgefw_option problem[] = {
    {"name", TEXT, NULL, NULL, "Problem plugin; its own keys follow in this section.", 0, 0}, END};

static const edgefw_option backbone[] = {
    {"name", TEXT, NULL, NULL, "Backbone plugin; its own keys follow in this section.", 0, 0}, END};

static const edgefw_option decoder[] = {
    {"terms", TEXTS, "", NULL, "Score term plugins in the order of their features; may be empty.",
     0, 0},
    {"heads", INT, "8", NULL, "Attention heads of the pointer decoder; divides the width.", 1, 256},
    {"edge_hidden", INT, "32", NULL, "Hidden width of the MLP over the terms' features.", 1, 1024},
    {"edge_mlp_init", CHOICE, "default", "default|zero",
     "Start of that MLP's last layer; zero: the terms begin without influence.", 0, 0},
    {"logit_clip", REAL, "10", NULL, "C of logit = C tanh(score) in training.", 1e-3, 1e6},
    END};

static const edgefw_option train[] = {
    {"init", PATH, "", NULL,
     "Checkpoint to begin with: parameters are taken by name, those that it lacks start fresh. It "
     "is read when training begins, not when it goes on; Adam and schedules begin anew.",
     0, 0},
    {"init_from", TEXT, "", NULL,
     "The same with what this variant, which stands before, has trained: train.init_from = NAME in "
     "a variant makes a curriculum.",
     0, 0},
    {"size", INT, "100", NULL, "Nodes of a training instance; customers, where there is a depot.",
     2, EDGEFW_MAX_NODES},
    {"sizes", INTS, "", NULL,
     "Several sizes in place of one, as in 20, 50, 100 or 20..100: each batch has instances of one "
     "of them, drawn by seed and step, any as likely as the others. Memory is that of the largest.",
     2, EDGEFW_MAX_NODES},
    {"distribution", TEXT, "", NULL,
     "What instances of training are drawn from; one of the problem's distributions. Empty: as "
     "test "
     "sets.",
     0, 0},
    {"data", PATH, "", NULL,
     "Dataset (.h5) of instances to train on in place of generated ones, as data generate and data "
     "import write them; shuffled anew in every pass. They have the size that they have.",
     0, 0},
    {"epochs", INT, "2100", NULL, "Number of epochs; 0: no training.", 0, MOST},
    {"instances_per_epoch", INT, "10000", NULL, "Instances that make an epoch.", 1, MOST},
    {"batch", INT, "64", NULL, "Instances of one optimiser step.", 1, 1000000},
    {"slice", INT, "0", NULL,
     "Instances of a batch whose gradient is computed at once; those of the slices are added up in "
     "their order, and several processes share them out. Memory is that of a slice. Another number "
     "gives other last bits. 0: the whole batch.",
     0, 1000000},
    {"learning_rate", REAL, "4e-4", NULL, "Adam's step size before any milestone.", 0, 1000},
    {"weight_decay", REAL, "1e-6", NULL, "L2 decay, added to the gradient.", 0, 1000},
    {"beta1", REAL, "0.9", NULL, "Adam's decay of the first moment.", 0, 0.999999999},
    {"beta2", REAL, "0.999", NULL, "Adam's decay of the second moment.", 0, 0.999999999},
    {"epsilon", REAL, "1e-8", NULL, "Adam's epsilon.", 1e-30, 1},
    {"ema", REAL, "0", NULL,
     "Decay of an exponential mean of the parameters, which is saved beside them and evaluated in "
     "their place; min(ema, (1 + step) / (10 + step)) at a step. 0: none.",
     0, 0.999999999},
    {"milestones", INTS, "2001, 2101", NULL,
     "Epochs, increasing, from which on the learning rate is multiplied by gamma once more.", 1,
     MOST},
    {"gamma", REAL, "0.1", NULL, "Factor of the learning rate at a milestone.", 0, 1000},
    {"objective", CHOICE, "reinforce", "reinforce|imitation|preference",
     "What is minimised; reinforce: rollouts weigh by how much shorter than their mean they are; "
     "imitation: the cross entropy of given tours, the labels; "
     "preference: the shorter one of every two rollouts is to be the more probable one.",
     0, 0},
    {"advantage_norm", CHOICE, "none", "none|max",
     "reinforce; max: divide the advantages of an instance by the largest of them.", 0, 0},
    {"leader", REAL, "1", NULL,
     "reinforce: factor of the advantage of an instance's shortest rollout; more than 1: the best "
     "of all rollouts is to become better rather than their mean.",
     1, 1000},
    {"preference_beta", REAL, "0.2", NULL,
     "preference: factor of log-probabilities; the smaller, the longer a pair goes on teaching.",
     1e-6, 1000},
    {"labels", CHOICE, "none", "none|search|dataset",
     "imitation: where labels come from; search: heuristics, local search and kicks, while it "
     "trains; dataset: the file of data has them (edgefw data label).",
     0, 0},
    {"label_starts", INT, "8", NULL,
     "imitation: rollouts of an instance, each of them its label begun elsewhere; at most as many "
     "as it has starts.",
     1, EDGEFW_MAX_NODES},
    {"label_heuristics", TEXTS, "", NULL,
     "imitation, labels = search: heuristics that make a tour each, of which the best one, "
     "improved, is the label; empty: all that fit the problem. They have their own defaults.",
     0, 0},
    {"label_kicks", INT, "20", NULL,
     "imitation, labels = search: kicks (see [search]) that this tour is searched on by.", 0, MOST},
    {"checkpoint_every", INT, "100", NULL, "Epochs between checkpoints.", 1, MOST},
    {"validate_every", INT, "0", NULL,
     "Epochs between validations: greedy rollouts from all starts of instances that training does "
     "not see. The best state is kept as best.h5 and evaluated in place of the last. 0: none.",
     0, MOST},
    {"validation_instances", INT, "256", NULL,
     "Instances of a validation, generated like those of training; always the same ones.", 1, MOST},
    {"patience", INT, "0", NULL,
     "Training ends before its epochs do when so many validations in a row were no better than the "
     "best one; 0: never.",
     0, MOST},
    END};

static const edgefw_option eval[] = {
    {"sizes", INTS, "100, 200, 500, 1000", NULL,
     "Nodes (customers) of the test sets; may be empty.", 2, EDGEFW_MAX_NODES},
    {"instances", INTS, "1000", NULL,
     "Instances of a test set: one number for all sizes, or one each.", 1, MOST},
    {"files", PATHS, "", NULL, "Library files to solve as well, or folders of them.", 0, 0},
    {"terms", TEXTS, EDGEFW__TERMS_AS_TRAINED, NULL,
     "Score terms in evaluation; trained: those of [decoder]. Only logit terms may differ.", 0, 0},
    {"augment", INT, "1", NULL,
     "8: also evaluate the 7 reflections and rotations of a coordinate problem; the best counts.",
     1, 8},
    {"seed", INT, "2026", NULL, "Seed of the generated test sets and of sampling.", 0, WHOLE},
    {"logit_clip", REAL, "50", NULL, "C of logit = C tanh(score) in evaluation.", 1e-3, 1e6},
    {"select", CHOICE, "greedy", "greedy|sample", "How a rollout chooses its next node.", 0, 0},
    {"starts", INT, "0", NULL,
     "Rollouts, or tours of a heuristic, of an instance; 0: one from each node (customer).", 0,
     EDGEFW_MAX_NODES},
    {"batch", INT, "0", NULL,
     "Instances that are evaluated at once; 0: 64, or what a device with memory of its own holds.",
     0, 1000000},
    END};

static const edgefw_option search[] = {
    {"improve", CHOICE, "none", "none|local",
     "local: every rollout is improved by local search, and the best one counts.", 0, 0},
    {"improve_rollouts", INT, "0", NULL,
     "Rollouts of an instance that are improved, the shortest first; 0: all of them.", 0,
     EDGEFW_MAX_NODES},
    {"beam", INT, "0", NULL,
     "Beam search with the policy: tours that each start keeps, those whose log-probabilities sum "
     "up to most (0: none). The rollouts stay beside it.",
     0, 1000},
    {"reconstruct", INT, "0", NULL,
     "Rounds in which each rollout takes up to 50 nodes that lie together out of the best tour and "
     "has the policy decode them again; the best, improved, is kept unless it is longer.",
     0, WHOLE},
    {"kicks", INT, "0", NULL,
     "Iterated local search: so often the best tour of an instance has random stretches "
     "exchanged and is improved; what costs more is taken back. Of routes, where it is 2000 or "
     "more "
     "for each customer, all but a tenth take customers out and put them back (annealing).",
     0, WHOLE},
    {"time_limit", REAL, "0", NULL,
     "Seconds for reconstruct and kicks of each instance (0: as long as they take); with a limit "
     "and "
     "no number of either, kicks go on until then. Results then depend on the machine.",
     0, 1e6},
    {"fixed", INTS, "", NULL,
     "Nodes that every tour begins with, as solutions count them: from 1; where there is a depot, "
     "customers from 1, with 0 for a return to the depot. The rest of the tour is searched.",
     0, EDGEFW_MAX_NODES},
    {"start", PATH, "", NULL,
     "A solution to begin with (TSPLIB tour, VRPLIB .sol), where the only set is one file: an "
     "incumbent beside the rollouts, improved like them, so the result is never worse. Or a folder "
     "of them, called like the files of the sets.",
     0, 0},
    END};

static const edgefw_option data[] = {
    {"test.*", PATH, NULL, NULL, "test.N: dataset of size N (.h5) in place of the generated set.",
     0, 0},
    {"reference.*", PATH, NULL, NULL,
     "reference.N: CSV of reference costs of the set of size N; those of another set are refused.",
     0, 0},
    {"optima", PATH, NULL, NULL, "CSV of best known costs of library files.", 0, 0},
    END};

static const edgefw_option report[] = {
    {"reported", PATH, "", NULL, "CSV of published rows that tables show beside ours.", 0, 0},
    {"buckets", INTS, "", NULL,
     "Increasing sizes: library files are also summed up in groups, up to each of these and beyond "
     "the last, by the mean of their own gaps.",
     1, EDGEFW_MAX_NODES},
    {"tensorboard", BOOL, "no", NULL,
     "Write what training and evaluation find as TensorBoard event files, one in each variant's "
     "folder.",
     0, 0},
    END};

static const edgefw_option diagnostics[] = {
    {"states", INT, "0", NULL,
     "Decoding states of each size in which a trained model is examined; 0: none, and no other key "
     "of the section matters.",
     0, MOST},
    {"sizes", INTS, "", NULL, "Nodes (customers) of their instances; empty: the sizes of [eval].",
     3, EDGEFW_MAX_NODES},
    {"perturbation", REAL, "0.1", NULL,
     "By how much a cost is raised or lowered, in units of the instance's mean arc.", 1e-6, 1000},
    {"closeness", REAL, "0.1", NULL,
     "Local PairAcc compares candidates whose closing arcs, cheapest arcs out and cheapest arcs in "
     "differ by at most this much, in the same units.",
     0, 1000},
    {"swap_threshold", REAL, "0.05", NULL,
     "The swap control leaves out arcs whose costs to and fro differ by less, in the same units.",
     0, 1000},
    {"seed", INT, "2027", NULL, "Seed of the instances, and of what is drawn in their states.", 0,
     WHOLE},
    END};

static const edgefw_option variant[] = {
    {"checkpoint", PATH, "", NULL, "Evaluate this checkpoint in place of training.", 0, 0},
    {"trained", TEXT, "", NULL,
     "Evaluate what this variant, which stands before, trains; the two may differ in [eval] and "
     "[search] only.",
     0, 0},
    {"construct", TEXTS, "", NULL,
     "Evaluate these heuristics in place of a model; of several the best tour counts. Such a "
     "variant needs neither backbone nor decoder nor training, and of [eval] it takes sizes, "
     "instances, files, seed, starts and batch.",
     0, 0},
    END};

static const edgefw__section sections[] = {
    {"experiment", "What is run, and where.", experiment},
    {"problem", "The problem.", problem},
    {"backbone", "The encoder.", backbone},
    {"decoder", "The pointer decoder and its score terms.", decoder},
    {"train", "Training: what is minimised, and Adam.", train},
    {"eval", "Evaluation.", eval},
    {"search", "What is made of the rollouts in evaluation.", search},
    {"data", "Files in place of generated data.", data},
    {"diagnostics",
     "Does the logit of a candidate answer to the arc that leads to it? Asked of each variant "
     "after "
     "its evaluation, for problems with a cost matrix.",
     diagnostics},
    {"report", "Tables, figures and events.", report},
    {"variant",
     "[variant NAME], any number: one line of the result table. It may override any key of "
     "problem, "
     "backbone, decoder, train, eval, search, term.NAME and heuristic.NAME, written section.key = "
     "value.",
     variant},
    {0}};

edgefw__objective_kind edgefw__objective_kind_of(const edgefw_options *options) {
  return (edgefw__objective_kind)edgefw_options_choice(options, "objective");
}

edgefw__label_source edgefw__label_source_of(const edgefw_options *options) {
  return (edgefw__label_source)edgefw_options_choice(options, "labels");
}

const edgefw__section *edgefw__schema_sections(void) {
  return sections;
}

const edgefw_option *edgefw__schema_options(const char *section) {
  for (const edgefw__section *s = sections; s->name; ++s)
    if (strcmp(s->name, section) == 0) return s->options;
  return NULL;
}
